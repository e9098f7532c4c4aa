package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;

import java.util.Comparator;
import java.util.List;

/**
 * Chooses the member that a snapshot is taken of: a voter that is up to date, rather a follower, as
 * reading all of a database costs the leader most; never one that is known to be damaged.
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
        return health.voters().stream()
                .filter(member -> health.status(member.id()).isPresent())
                .filter(member -> !isCorrupt(member, alarms))
                .max(Comparator.<Member, Boolean>comparing(health::healthy)
                        .thenComparing(member -> !leads(health, member))
                        .thenComparing(member ->
                                health.status(member.id()).orElseThrow().appliedIndex()))
                .orElseThrow(() -> new ClusterException(
                        "there is no etcd member to take a snapshot of",
                        health.unhealthyMembers().isEmpty()
                                ? "every voter raises the alarm CORRUPT"
                                : health.unhealthyMembers(),
                        "see 'kjadm etcd status'; name a member that answers with --endpoints"));
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
