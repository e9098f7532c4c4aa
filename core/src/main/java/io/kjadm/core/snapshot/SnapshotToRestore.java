package io.kjadm.core.snapshot;

/**
 * A snapshot that was chosen.
 *
 * @param reader reads it from where it is
 */
public record SnapshotToRestore(SnapshotManifest manifest, SnapshotReader reader) {}
