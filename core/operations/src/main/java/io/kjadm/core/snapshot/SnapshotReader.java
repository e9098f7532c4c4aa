package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** Reads snapshots out of a store, or wherever their bytes are. */
public final class SnapshotReader {

    private static final int BUFFER = 256 * 1024;

    private final Source source;
    private final List<String> identities;
    private final Reporter out;

    /** Where the stored bytes of a snapshot come from. */
    @FunctionalInterface
    interface Source {

        InputStream open(SnapshotManifest manifest) throws IOException;
    }

    /** @param identities secret keys for those that are encrypted */
    public SnapshotReader(SnapshotCatalog catalog, List<String> identities, Reporter out) {
        this(catalog::open, identities, out);
    }

    SnapshotReader(Source source, List<String> identities, Reporter out) {
        this.source = source;
        this.identities = List.copyOf(identities);
        this.out = out;
    }

    /**
     * Writes a snapshot as etcd sent it into a file, readable for its owner only; one that is there
     * is replaced.
     *
     * @throws ClusterException if it is not what its manifest tells of; there is no such file then
     * @throws HostException    if it cannot be decrypted, or the file not be written
     */
    public void fetch(SnapshotManifest manifest, HostFiles files, Path file) {
        out.during("snapshot", "Fetching snapshot " + manifest.name(), () -> {
            try {
                files.fill(file, FileMode.OWNER_ONLY, to -> {
                    SnapshotVerifier verifier = new SnapshotVerifier(to);
                    try (InputStream stored = source.open(manifest);
                            InputStream plain =
                                    manifest.stored().encoding().decode(stored, identities)) {
                        pass(manifest, plain, verifier);
                    }
                    require(manifest, verifier);
                });
            } catch (Throwable e) {
                // whatever ended it: the part holds every Secret
                removeQuietly(files, file, e);
                throw e;
            }
            return true;
        });
        out.step(
                "snapshot",
                "Fetched snapshot %s: revision %d, %d bytes, whole"
                        .formatted(
                                manifest.name(),
                                manifest.plain().content().revision(),
                                manifest.plain().bytes()));
    }

    /** An archive of some kilobytes may unpack to anything. */
    private static void pass(
            SnapshotManifest manifest, InputStream plain, SnapshotVerifier verifier)
            throws IOException {
        byte[] buffer = new byte[BUFFER];
        for (int read; (read = plain.read(buffer)) != -1; ) {
            verifier.write(buffer, 0, read);
            if (verifier.size() > manifest.plain().bytes()) {
                throw notGood(
                        manifest,
                        "it has more than the %d bytes that its manifest names"
                                .formatted(manifest.plain().bytes()));
            }
        }
    }

    private static void removeQuietly(HostFiles files, Path file, Throwable first) {
        try {
            files.delete(file);
        } catch (RuntimeException e) {
            first.addSuppressed(e);
        }
    }

    private static void require(SnapshotManifest manifest, SnapshotVerifier verifier)
            throws IOException {
        String fault = switch (verifier.verdict()) {
            case Verdict.Damaged(String why) -> why;
            case Verdict.Whole _
            when !verifier.sha256Hex().equals(manifest.plain().sha256()) ->
                "it is intact, but does not match its manifest";
            case Verdict.Whole _ -> "";
        };
        if (!fault.isEmpty()) {
            throw notGood(manifest, fault);
        }
    }

    private static ClusterException notGood(SnapshotManifest manifest, String fault) {
        return new ClusterException(
                CommonReason.DAMAGED,
                "snapshot %s is damaged".formatted(manifest.name()),
                fault,
                "choose another one: 'kjadm etcd snapshot list' shows all, 'verify' checks one");
    }
}
