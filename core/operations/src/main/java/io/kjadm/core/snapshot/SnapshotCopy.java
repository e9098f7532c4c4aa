package io.kjadm.core.snapshot;

import io.kjadm.core.phase.Reporter;

/**
 * Copies a snapshot to another store, as it is stored: encrypted for the same recipients, with the
 * same manifest, so that its signature stays valid. A copy that was interrupted may be repeated.
 */
public final class SnapshotCopy {

    private final SnapshotCatalog from;
    private final SnapshotCatalog to;
    private final Reporter out;

    public SnapshotCopy(SnapshotCatalog from, SnapshotCatalog to, Reporter out) {
        this.from = from;
        this.to = to;
        this.out = out;
    }

    /**
     * Copies it; what it stood in the first store is not known of the copy.
     *
     * @throws io.kjadm.core.error.ClusterException if its bytes are not those that its manifest
     *     tells of, or the other store has another snapshot of that name; there is no copy then
     */
    public void copy(SnapshotManifest manifest) {
        SnapshotCatalog.Published published = from.published(manifest);
        out.during("snapshot", "Copying snapshot " + manifest.name(), () -> {
            to.copyData(manifest, () -> from.open(manifest));
            manifest.stored().pki().ifPresent(bundle -> {
                byte[] keys = from.pki(manifest);
                SnapshotPki.requireWhole(manifest, bundle, keys);
                to.copyPki(manifest, keys);
            });
            return true;
        });
        to.publish(manifest, published);
        to.requireData(manifest);
        out.step("snapshot", "Copied snapshot " + manifest.name());
    }
}
