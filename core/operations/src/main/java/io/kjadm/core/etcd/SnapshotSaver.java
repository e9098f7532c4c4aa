package io.kjadm.core.etcd;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.snapshot.SnapshotContent;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;

/**
 * Saves the database of a member: into a file beside the one that is wanted, which takes that one's
 * place when it has come whole.
 */
public final class SnapshotSaver {

    private final HostFiles files;
    private final Reporter out;
    private final String area;

    /**
     * @param area in whose name it is told
     */
    public SnapshotSaver(HostFiles files, Reporter out, String area) {
        this.files = files;
        this.out = out;
        this.area = area;
    }

    /**
     * Takes a snapshot, readable for its owner only, as it holds every Secret. A file of that name
     * is replaced.
     *
     * @param known where the member may answer, beside what it has published
     * @throws ClusterException if it could not be taken whole; nothing is left of it then
     */
    public void save(EtcdCluster cluster, Member member, Collection<URI> known, Path file) {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            URI from = AnsweringUrl.of(cluster, member, known);
            files.fill(part, FileMode.OWNER_ONLY, to -> {
                SnapshotVerifier snapshot = new SnapshotVerifier(to);
                cluster.snapshot(from, snapshot);
                SnapshotContent content = whole(snapshot);
                out.step(
                        area,
                        "Received etcd's snapshot: %d bytes, revision %d; its SHA-256 matches, and its tree is whole"
                                .formatted(snapshot.size(), content.revision()));
            });
            files.delete(file);
            files.rename(part, file);
        } catch (EtcdCallException e) {
            throw failed(part, e.getMessage(), e);
        } catch (HostException e) {
            throw failed(part, e.what() + ": " + e.why(), e);
        } catch (Error | RuntimeException e) {
            // whatever ended it: the part holds every Secret
            remove(part, e);
            throw e;
        }
    }

    /**
     * What a member sent.
     *
     * @throws HostException if it is not whole; etcd always sends the sum, without which the end of
     *     the database may be missing
     */
    public static SnapshotContent whole(SnapshotVerifier snapshot) {
        return switch (snapshot.verdict()) {
            case Verdict.Whole(SnapshotContent content, boolean summed) when summed -> content;
            case Verdict.Whole _ ->
                throw new HostException(
                        CommonReason.DAMAGED,
                        "the snapshot is incomplete",
                        "it ends before its SHA-256",
                        "");
            case Verdict.Damaged(String why) ->
                throw new HostException(
                        CommonReason.DAMAGED, "the snapshot is incomplete", why, "");
        };
    }

    private void remove(Path part, Throwable cause) {
        try {
            files.delete(part);
        } catch (HostException e) {
            cause.addSuppressed(e);
        }
    }

    private ClusterException failed(Path part, String why, Exception cause) {
        remove(part, cause);
        return new ClusterException(
                "no snapshot of etcd could be taken",
                why + "; this node is unchanged",
                "check that etcd is healthy and that %s has free space, then run the command again"
                        .formatted(part.getParent()),
                cause);
    }
}
