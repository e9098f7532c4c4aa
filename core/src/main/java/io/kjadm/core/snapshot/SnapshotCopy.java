package io.kjadm.core.snapshot;

import io.kjadm.core.phase.Reporter;

import java.io.InputStream;

/** Copies a snapshot to another store, as it is stored: encrypted for the same recipients. */
public final class SnapshotCopy {

    private final SnapshotCatalog from;
    private final SnapshotCatalog to;
    private final Reporter out;

    public SnapshotCopy(SnapshotCatalog from, SnapshotCatalog to, Reporter out) {
        this.from = from;
        this.to = to;
        this.out = out;
    }

    /** Copies it; what it stood in the first store is not known of the copy. */
    public void copy(SnapshotManifest manifest) {
        out.during("snapshot", "Copying snapshot " + manifest.name(), () -> {
            to.write(manifest.origin().clusterId(), manifest.name(), object -> {
                try (InputStream bytes = from.open(manifest)) {
                    bytes.transferTo(object);
                }
            });
            manifest.stored().pki().ifPresent(_ -> copyPki(manifest));
            return true;
        });
        to.publish(manifest);
        out.step("snapshot", "Copied snapshot " + manifest.name());
    }

    private void copyPki(SnapshotManifest manifest) {
        byte[] keys = from.pki(manifest);
        to.writePki(manifest.origin().clusterId(), manifest.name(), object -> object.write(keys));
    }
}
