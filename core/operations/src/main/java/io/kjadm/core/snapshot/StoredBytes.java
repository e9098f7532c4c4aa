package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.etcd.CommonReason;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;

/** Reads the stored bytes of a snapshot, never more than its manifest tells of. */
final class StoredBytes {

    private static final int BUFFER = 256 * 1024;

    private StoredBytes() {}

    /**
     * Passes them on.
     *
     * @throws ClusterException if they are not those that the manifest tells of; what was passed on
     *     is of no use then
     */
    static void copy(SnapshotManifest manifest, InputStream stored, OutputStream to)
            throws IOException {
        Optional<String> fault = fault(manifest.stored(), stored, to);
        if (fault.isPresent()) {
            throw new ClusterException(
                    CommonReason.DAMAGED,
                    "snapshot %s is damaged".formatted(manifest.name()),
                    fault.get(),
                    "choose another one: 'kjadm etcd snapshot list' shows all, 'verify' checks one");
        }
    }

    /** Whether bytes are those of a snapshot. */
    static boolean same(Stored told, InputStream stored) throws IOException {
        return fault(told, stored, OutputStream.nullOutputStream()).isEmpty();
    }

    private static Optional<String> fault(Stored told, InputStream stored, OutputStream to)
            throws IOException {
        SummedOutput sum = new SummedOutput(to);
        byte[] buffer = new byte[BUFFER];
        for (int read; sum.size() <= told.bytes() && (read = stored.read(buffer)) != -1; ) {
            sum.write(buffer, 0, read);
        }
        return told.sumFault(sum.size(), sum.sha256Hex());
    }
}
