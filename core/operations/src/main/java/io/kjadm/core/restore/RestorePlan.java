package io.kjadm.core.restore;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.manifests.NameAndUrl;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a restore on this node would do.
 *
 * @param source   that would be restored
 * @param etcd     this machine's, which gets it
 * @param node     the same, as its files tell
 * @param member   the one that will be left
 * @param earlier  whether an earlier run of the same restore is gone on with
 * @param oldCluster looks at the cluster that ends
 * @param seen     of it, at first
 */
public record RestorePlan(
        RestoreSource source,
        RestoredEtcd etcd,
        LocalEtcdState node,
        NameAndUrl member,
        boolean earlier,
        OldClusterCheck oldCluster,
        OldClusterCheck.Seen seen) {

    /** Names what a restore keeps while it is under way. */
    public static final String WORK = StaticPodEtcd.RESTORE;

    /** etcd's log, and what else is written. */
    private static final long MARGIN_BYTES = 256L << 20;

    /**
     * Checks that it may be done; changes nothing.
     *
     * @throws HostException    if this node has no etcd of its own that could be restored, or
     *     another restore is not finished
     * @throws ClusterException unless the old cluster has ended
     */
    public static RestorePlan of(
            RestoreSource source, RestoredEtcd etcd, OldClusterCheck oldCluster, HostFiles files) {
        requireSame(source, new RestoreJournal(files, etcd).unfinished());
        LocalEtcdState node = etcd.host().state();
        etcd.requireRestorable(node);
        requireAllReplaced(node);
        return new RestorePlan(
                source,
                etcd,
                node,
                member(node),
                begun(files, etcd).filter(source.name()::equals).isPresent(),
                oldCluster,
                oldCluster.require(source));
    }

    /** What etcd is started with must not bring the old cluster back, or a new one at each start. */
    private static void requireAllReplaced(LocalEtcdState node) {
        node.added().restoreProblem(node.dataDir()).ifPresent(problem -> {
            throw new ClusterException(problem);
        });
    }

    /** This machine's member as its files name it, with the same peer URL in every run. */
    static NameAndUrl member(LocalEtcdState node) {
        return new NameAndUrl(
                node.name().orElse("default"),
                node.peerUrls().stream()
                        .min(Comparator.naturalOrder())
                        .orElseThrow(
                                () -> new HostException(
                                        "this machine's etcd has no peer URL",
                                        "its files name none",
                                        "restore its manifest or environment file, then run the same command again")));
    }

    /** What this node's etcd says of itself, if it runs on the old data. */
    Optional<MemberStatus> now() {
        return seen.own();
    }

    /** Whether the old cluster has members besides this node's, which are not in the new one. */
    boolean leavesOthers() {
        return !seen.silences().isEmpty();
    }

    /** The command that begins the restore and resumes it. */
    String command() {
        return oldCluster.command(source);
    }

    /**
     * Looks at the old cluster once more: hours may have passed.
     *
     * @throws ClusterException unless it has ended
     */
    void requireEndOfOldCluster() {
        oldCluster.require(source);
    }

    /** The name of what a restore on this node has begun to restore, if one is not finished. */
    public static Optional<String> unfinished(HostFiles files, RestoredEtcd etcd) {
        return new RestoreJournal(files, etcd).unfinished().map(RestoreEntry::snapshot);
    }

    /**
     * The same where nothing but its end may be left, too: etcd serves the restored data then, and
     * what lives on it may not run yet.
     */
    public static Optional<String> begun(HostFiles files, RestoredEtcd etcd) {
        return new RestoreJournal(files, etcd)
                .read()
                .filter(entry ->
                        !entry.passed(RestoreStep.SERVING) || isInPlace(files, etcd, entry))
                .map(RestoreEntry::snapshot);
    }

    private static boolean isInPlace(HostFiles files, RestoredEtcd etcd, RestoreEntry entry) {
        LocalEtcdState node = etcd.host().state();
        return new DataInPlace(files, node.dataDir(), entry, () -> member(node)).look()
                == DataInPlace.Found.MADE;
    }

    private static void requireSame(RestoreSource source, Optional<RestoreEntry> earlier) {
        if (earlier.filter(entry -> !entry.snapshot().equals(source.name())).isPresent()) {
            throw new HostException(
                    "a restore of %s on this node is not finished"
                            .formatted(earlier.get().snapshot()),
                    "it has reached step " + earlier.get().step(),
                    "finish it (%s), or undo it (kjadm etcd snapshot restore --undo)"
                            .formatted(earlier.get().command()));
        }
    }

    /**
     * Whether there is room for the snapshot and the data that are made of it, beside the former
     * ones. Both lie in the data directory. What an earlier run has made is there already.
     *
     * @throws HostException if there is not
     */
    public void requireSpace(HostFiles files, DiskProbe disk) {
        if (!earlier) {
            requireSpace(source, node.dataDir(), files, disk);
        }
    }

    /**
     * Whether there is room for it and for the data that are made of it.
     *
     * @throws HostException if there is not
     */
    public static void requireSpace(
            RestoreSource source, Path dataDir, HostFiles files, DiskProbe disk) {
        OptionalLong bytes = source.bytes(files);
        if (bytes.isEmpty()) {
            return;
        }
        long needed = bytes.getAsLong() * 22 / 10 + MARGIN_BYTES;
        long free = freeBytes(dataDir, disk);
        if (free < needed) {
            throw new HostException(
                    CommonReason.NO_SPACE,
                    "there is not enough space to restore " + source.title(),
                    "the disk of %s has %d MiB free, and %d are needed: %s, the data made of it, and etcd's log; the previous data is kept"
                            .formatted(
                                    dataDir,
                                    free >> 20,
                                    needed >> 20,
                                    source.ownData() ? "a copy of it" : "the snapshot"),
                    "free some space on it, then run the same command again; nothing was changed");
        }
    }

    private static long freeBytes(Path dataDir, DiskProbe disk) {
        try {
            return disk.freeBytes(dataDir);
        } catch (IOException e) {
            throw new HostException(
                    "the free space of %s is not known".formatted(dataDir),
                    e.getMessage(),
                    "check that its disk can be read, then run the same command again",
                    e);
        }
    }

    /** What would be done, a sentence each. */
    public List<String> describe() {
        List<String> lines = new ArrayList<>(source.describe());
        if (earlier) {
            lines.add("Resuming an interrupted restore of it");
        }
        now().filter(_ -> !source.ownData())
                .ifPresent(status -> lines.add(
                        "This node's etcd runs, in cluster %s: what was written since is lost to the cluster, and kept on this node"
                                .formatted(status.clusterId())));
        lines.add(
                "etcd member %s (%s) becomes the only one of a new cluster; the data in %s are set aside"
                        .formatted(member.name(), member.url(), node.dataDir()));
        seen.silences()
                .forEach(silence -> lines.add("Given up, as it does not respond: " + silence));
        lines.addAll(etcd.cautions(node));
        return lines;
    }
}
