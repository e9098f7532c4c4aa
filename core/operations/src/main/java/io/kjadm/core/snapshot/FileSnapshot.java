package io.kjadm.core.snapshot;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.foreign.ForeignSnapshot;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.List;
import java.util.Map;

/**
 * A snapshot in a file of another tool, to be restored without a store. Its name is the same each
 * time, so that a restore that was killed is gone on with.
 */
public final class FileSnapshot {

    private static final String AREA = "snapshot";
    private static final int SHOWN_DIGITS = 8;

    private FileSnapshot() {}

    /**
     * Looks into it, from its first byte to its last; keeps nothing.
     *
     * @param unsummed whether one without a sum is taken
     * @throws HostException  if it is not whole
     * @throws UsageException if it has no sum, and that was not agreed to
     */
    public static SnapshotToRestore of(
            ForeignSnapshot foreign, HostFiles files, boolean unsummed, Reporter out) {
        foreign.remarks().forEach(out::warn);
        ForeignPassage passage =
                new ForeignPassage(foreign, files, SnapshotEncoding.NONE, unsummed);
        out.during(AREA, "Reading " + foreign.file(), () -> {
            try {
                passage.carry(OutputStream.nullOutputStream());
            } catch (IOException e) {
                throw new HostException(
                        "%s cannot be read".formatted(foreign.file()),
                        String.valueOf(e.getMessage()),
                        "choose another one",
                        e);
            }
            return true;
        });
        SnapshotManifest manifest = passage.manifest(
                "file-%s-%s"
                        .formatted(
                                SnapshotCatalog.stamp(foreign.taken()),
                                passage.plain().sha256().substring(0, SHOWN_DIGITS)),
                Map.of());
        return new SnapshotToRestore(
                manifest,
                new SnapshotReader(
                        _ -> new SequenceInputStream(
                                foreign.open(files), new ByteArrayInputStream(passage.addedSum())),
                        List.of(),
                        out));
    }
}
