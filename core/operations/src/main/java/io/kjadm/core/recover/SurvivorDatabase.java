package io.kjadm.core.recover;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.DatabaseReader;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.etcd.recover.DiskEvidence;
import io.kjadm.etcd.recover.LogEvidence;
import io.kjadm.etcd.snapshot.SnapshotContent;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The database of this node's member, the survivor of a cluster that can never have a quorum again.
 * An etcd that is stopped has written all that it had applied.
 */
final class SurvivorDatabase implements RestoreSource {

    private static final String PREFIX = "survivor-";
    private static final String UNDO = "undo the restore: kjadm etcd recover --undo";

    private final String member;
    private final Path dataDir;
    private final boolean acceptLoss;
    private final String command;
    private final List<String> description;
    private final Reporter out;
    private OptionalLong revision = OptionalLong.empty();

    /**
     * @param member      its name
     * @param acceptLoss  whether it may be restored though its log has more that is committed
     * @param command     that begins the restore and resumes it
     * @param description what the plan tells of it
     */
    SurvivorDatabase(
            String member,
            Path dataDir,
            boolean acceptLoss,
            String command,
            List<String> description,
            Reporter out) {
        this.member = member;
        this.dataDir = dataDir;
        this.acceptLoss = acceptLoss;
        this.command = command;
        this.description = List.copyOf(description);
        this.out = out;
    }

    /** The member whose database a restore of that name restores, if it is such a one. */
    static Optional<String> member(String name) {
        return name.startsWith(PREFIX)
                ? Optional.of(name.substring(PREFIX.length()))
                : Optional.empty();
    }

    @Override
    public String name() {
        return PREFIX + member;
    }

    @Override
    public String title() {
        return "the database of " + member;
    }

    @Override
    public List<String> describe() {
        return description;
    }

    @Override
    public OptionalLong revision() {
        return revision;
    }

    @Override
    public OptionalLong bytes(HostFiles files) {
        return OptionalLong.of(files.treeBytes(DatabaseReader.file(dataDir)));
    }

    @Override
    public String command() {
        return command;
    }

    @Override
    public boolean ownData() {
        return true;
    }

    @Override
    public boolean summed() {
        return false;
    }

    @Override
    public void fetch(HostFiles files, Path file) {
        SnapshotContent content =
                out.during("recover", "Copying the database of " + member, () -> copy(files, file));
        try {
            requireComplete(files, content.raft().index());
        } catch (ClusterException e) {
            files.delete(file);
            throw e;
        }
        revision = OptionalLong.of(content.revision());
        out.step(
                "recover",
                "Copied the database of %s: revision %d, %d bytes, whole"
                        .formatted(member, content.revision(), content.databaseBytes()));
    }

    private SnapshotContent copy(HostFiles files, Path file) {
        Path database = DatabaseReader.file(dataDir);
        if (!files.exists(database)) {
            throw new HostException(
                    "there is no database of etcd on this node", database + " is missing", UNDO);
        }
        Verdict[] verdict = new Verdict[1];
        files.fill(file, FileMode.OWNER_ONLY, to -> {
            SnapshotVerifier verifier = new SnapshotVerifier(to);
            try (InputStream bytes = files.open(database)) {
                bytes.transferTo(verifier);
            }
            verdict[0] = verifier.verdict();
        });
        return switch (verdict[0]) {
            case Verdict.Whole whole -> whole.content();
            case Verdict.Damaged(String why) -> {
                files.delete(file);
                throw new ClusterException(
                        CommonReason.DAMAGED,
                        "the database of %s cannot be used".formatted(member),
                        why,
                        UNDO + "; then recover from another survivor, or restore a snapshot");
            }
        };
    }

    private void requireComplete(HostFiles files, long applied) {
        DiskEvidence disk = new DiskReader(files)
                .look(
                        dataDir,
                        applied,
                        () -> new DatabaseReader.Look(
                                new DatabaseEvidence.Whole(0, applied, 0, 0), List.of()));
        long missing = disk instanceof DiskEvidence.Held held
                        && held.log() instanceof LogEvidence.Readable log
                ? log.gap().committed()
                : 0;
        if (missing > 0 && !acceptLoss) {
            throw new ClusterException(
                    "the database of %s lacks %d entries that are committed"
                            .formatted(member, missing),
                    "its log has them, and etcd applies them when it runs",
                    UNDO + ", run etcd for a minute, and start again; or use --accept-loss");
        }
    }
}
