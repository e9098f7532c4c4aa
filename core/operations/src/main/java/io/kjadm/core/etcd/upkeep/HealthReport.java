package io.kjadm.core.etcd.upkeep;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.EtcdStatus;
import io.kjadm.core.etcd.commands.EtcdStatus.Role;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.ReadAnswer;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether each member serves: a linearizable read through its own endpoint, which shows that it
 * reaches a leader with a quorum. A learner serves no reads, and has to answer.
 *
 * @param status the members as they tell of themselves
 * @param rows   in the order of the status
 * @param need   what has to serve
 */
public record HealthReport(EtcdStatus status, List<Row> rows, Need need) {

    public HealthReport {
        rows = List.copyOf(rows);
    }

    /** What has to serve for the cluster to be called healthy. */
    public enum Need {
        /** As many voters as must agree. */
        QUORUM,
        /** Every member that is listed. */
        ALL
    }

    /**
     * One member.
     *
     * @param read    what came of reading through it; empty for a learner
     * @param healthy whether it serves, or answers as a learner
     * @param problem why not; empty text if it does
     */
    public record Row(
            EtcdStatus.Row member, Optional<ReadAnswer> read, boolean healthy, String problem) {}

    /**
     * Asks every member.
     *
     * @throws ClusterException if nobody answers
     */
    public static HealthReport ask(EtcdSession session, Need need) {
        EtcdStatus status = session.status();
        Map<Member, ReadAnswer> reads = session.cluster()
                .reads(status.members().stream()
                        .filter(row ->
                                row.role() != Role.LEARNER && row.status().isPresent())
                        .map(EtcdStatus.Row::member)
                        .toList());
        return new HealthReport(
                status,
                status.members().stream()
                        .map(row -> row(row, Optional.ofNullable(reads.get(row.member()))))
                        .toList(),
                need);
    }

    private static Row row(EtcdStatus.Row member, Optional<ReadAnswer> read) {
        if (read.isEmpty()) {
            boolean answers = member.status().isPresent();
            return new Row(member, read, answers, answers ? "" : member.condition());
        }
        return new Row(member, read, read.get().serves(), read.get().problem());
    }

    /** How many voters serve. */
    public int servingVoters() {
        return (int) rows.stream()
                .filter(row -> row.member().role() != Role.LEARNER && row.healthy())
                .count();
    }

    /** How many voters may still fail; negative if so many are missing. */
    public int margin() {
        return servingVoters() - status.voters().quorum().size();
    }

    /** Whether what has to serve does, and no alarm is raised. */
    public boolean healthy() {
        return status.alarms().isEmpty()
                && switch (need) {
                    case QUORUM -> margin() >= 0;
                    case ALL -> rows.stream().allMatch(Row::healthy);
                };
    }

    /** Who fails, and why. */
    public String problems() {
        return rows.stream()
                .filter(row -> !row.healthy())
                .map(row -> row.member().member().describe() + ": " + row.problem())
                .collect(Collectors.joining("; "));
    }

    /** @throws ClusterException if it is not {@link #healthy} */
    public void requireHealthy() {
        if (!status.alarms().isEmpty()) {
            throw new ClusterException(
                    "etcd raises an alarm: "
                            + status.alarms().stream()
                                    .map(Alarm::kind)
                                    .distinct()
                                    .collect(Collectors.joining(", ")),
                    "every member refuses writes as long as it is raised",
                    Alarm.WAY_OUT);
        }
        if (!healthy()) {
            throw new ClusterException(
                    "%d of %d voters serve, and %s"
                            .formatted(
                                    servingVoters(),
                                    status.voters().quorum().voters(),
                                    need == Need.ALL
                                            ? "every member has to"
                                            : "%d have to"
                                                    .formatted(status.voters()
                                                            .quorum()
                                                            .size())),
                    problems(),
                    margin() < 0
                            ? "bring a majority of the voters back"
                            : "bring the member back, or remove it if it is gone for good (kjadm etcd member remove)");
        }
    }
}
