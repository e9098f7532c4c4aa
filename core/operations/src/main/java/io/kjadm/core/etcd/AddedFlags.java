package io.kjadm.core.etcd;

import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Problem;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Flags of etcd that kjadm never writes, and with which a start or a restore does more than it
 * should.
 *
 * @param file            where they are removed
 * @param forceNewCluster whether each start makes a cluster of this member alone, in which the
 *                        others count as removed ({@code --force-new-cluster})
 * @param logDirectory    where the write-ahead log is, if not with the data ({@code --wal-dir})
 */
public record AddedFlags(Path file, boolean forceNewCluster, Optional<Path> logDirectory) {

    /** How flags get away that a stacked member has by the cluster's configuration, or a patch. */
    public static final String REMOVE_CONFIGURED =
            "remove that flag from etcd.local.extraArgs in the ConfigMap kubeadm-config, or the patch that adds it";

    /** As Go reads a flag that is on ({@code strconv.ParseBool}). */
    private static final Set<String> ON = Set.of("1", "t", "T", "true", "TRUE", "True");

    /** @param flag the value of a flag by its name, without dashes in front */
    public static AddedFlags of(Path file, Path dataDir, Function<String, Optional<String>> flag) {
        Path usual = logWith(dataDir);
        return new AddedFlags(
                file,
                flag.apply("force-new-cluster").filter(ON::contains).isPresent(),
                flag.apply("wal-dir")
                        .filter(text -> !text.isBlank())
                        .map(Path::of)
                        .filter(directory -> !directory.normalize().equals(usual)));
    }

    /** No such flags. */
    public static AddedFlags none(Path file) {
        return new AddedFlags(file, false, Optional.empty());
    }

    /** Where the write-ahead log of a data directory is. */
    public Path log(Path dataDir) {
        return logDirectory.orElseGet(() -> logWith(dataDir));
    }

    private static Path logWith(Path dataDir) {
        return dataDir.resolve(KubernetesPaths.ETCD_MEMBER).resolve("wal").normalize();
    }

    /** What the first member of a cluster is warned of. */
    public Optional<String> initWarning() {
        return forceNewCluster
                ? Optional.of(
                        "%s has --force-new-cluster: each later start of etcd removes the members that have joined since; %s before nodes join"
                                .formatted(file, REMOVE_CONFIGURED))
                : Optional.empty();
    }

    /** Why a member of a stacked cluster does not join. */
    public Optional<Problem> joinProblem() {
        return startsAlone(
                "etcd of this node would remove all other members at each later start",
                "its manifest would have --force-new-cluster",
                REMOVE_CONFIGURED);
    }

    /** Why etcd is not to be started again while its cluster has other members. */
    public Optional<Problem> startProblem() {
        return startsAlone(
                "etcd on this node cannot be restarted now",
                "%s has --force-new-cluster: when it starts, etcd removes all other members, and their etcd ends"
                        .formatted(file),
                "remove that flag from %s, then run the command again".formatted(file));
    }

    /** Why its data cannot be replaced. */
    public Optional<Problem> restoreProblem(Path dataDir) {
        Optional<Problem> alone = startsAlone(
                "etcd's data on this machine are not replaced",
                "%s has --force-new-cluster: after each later start of etcd the members that have joined since would be removed"
                        .formatted(file),
                "remove that flag from %s, then run the same command again; nothing was changed"
                        .formatted(file));
        return alone.or(() -> logDirectory.map(directory -> new Problem(
                CommonReason.LOG_ELSEWHERE,
                "etcd's data on this machine are not replaced",
                "by --wal-dir in %s its write-ahead log is in %s, where the log of the old cluster would stay: etcd does not start with it and other data"
                        .formatted(file, directory),
                "stop etcd, move the files of %s to %s, remove that flag, then run the same command again; nothing was changed"
                        .formatted(directory, logWith(dataDir)))));
    }

    private Optional<Problem> startsAlone(String what, String why, String next) {
        return forceNewCluster
                ? Optional.of(new Problem(CommonReason.STARTS_ALONE, what, why, next))
                : Optional.empty();
    }
}
