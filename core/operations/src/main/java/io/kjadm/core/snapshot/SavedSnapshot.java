package io.kjadm.core.snapshot;

/**
 * A snapshot in a store.
 *
 * @param confirmed whether this run has written it, and the store has told the checksum of its bytes
 */
public record SavedSnapshot(SnapshotManifest manifest, boolean confirmed) {

    /** One that was stored before. */
    public static SavedSnapshot before(SnapshotManifest manifest) {
        return new SavedSnapshot(manifest, false);
    }
}
