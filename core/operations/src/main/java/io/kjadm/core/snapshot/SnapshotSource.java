package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.check.HealthRules;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Chooses the member that a snapshot is taken of: a voter that lags no further than a join accepts,
 * of these rather a follower, as reading all of a database costs the leader most; never one that is
 * known to be damaged.
 */
final class SnapshotSource {

    private static final String CORRUPT = "CORRUPT";

    private SnapshotSource() {}

    /**
     * Chooses one of those that answer.
     *
     * @throws ClusterException if there is none
     */
    static Member choose(EtcdHealth health, List<Alarm> alarms) {
        List<Member> good = health.voters().stream()
                .filter(member -> health.status(member.id()).isPresent())
                .filter(member -> !isCorrupt(member, alarms))
                .toList();
        if (good.isEmpty()) {
            throw new ClusterException(
                    "there is no etcd member to take a snapshot of",
                    health.unhealthyMembers().isEmpty()
                            ? "every voter raises the alarm CORRUPT"
                            : health.unhealthyMembers(),
                    "see 'kjadm etcd status'; name a member that answers with --endpoints");
        }
        long committed = committed(health);
        return good.stream()
                .filter(member -> lag(health, member, committed) <= HealthRules.LAG_LIMIT)
                .max(Comparator.<Member, Boolean>comparing(health::healthy)
                        .thenComparing(member -> health.isLed() && !leads(health, member))
                        .thenComparing(member -> status(health, member).appliedIndex()))
                .orElseThrow(
                        () -> new ClusterException(
                                "there is no etcd member to take a snapshot of that is up to date",
                                good.stream()
                                                .map(member ->
                                                        "%s has applied %d entries less than were committed"
                                                                .formatted(
                                                                        member.label(),
                                                                        lag(
                                                                                health, member,
                                                                                committed)))
                                                .collect(Collectors.joining("; "))
                                        + ", %d are the limit".formatted(HealthRules.LAG_LIMIT),
                                "wait until a member has caught up ('kjadm etcd status'), then run the command again"));
    }

    /** As the leader says, or whoever has seen most where it does not answer. */
    private static long committed(EtcdHealth health) {
        return health.leaderStatus()
                .map(MemberStatus::raftIndex)
                .orElseGet(() -> health.voters().stream()
                        .flatMap(member -> health.status(member.id()).stream())
                        .mapToLong(MemberStatus::raftIndex)
                        .max()
                        .orElse(0));
    }

    private static long lag(EtcdHealth health, Member member, long committed) {
        return HealthRules.lag(status(health, member), committed);
    }

    private static MemberStatus status(EtcdHealth health, Member member) {
        return health.status(member.id()).orElseThrow();
    }

    private static boolean isCorrupt(Member member, List<Alarm> alarms) {
        return alarms.stream()
                .anyMatch(alarm ->
                        alarm.memberId().equals(member.id()) && alarm.kind().equals(CORRUPT));
    }

    private static boolean leads(EtcdHealth health, Member member) {
        return health.leader().filter(member::equals).isPresent();
    }
}
