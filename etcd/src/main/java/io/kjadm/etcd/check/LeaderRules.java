package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.LEADER;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The voters name one leader, in one raft term. */
final class LeaderRules {

    private LeaderRules() {}

    static List<EtcdFinding> findings(ClusterFacts facts) {
        EtcdHealth health = facts.health();
        Set<MemberId> leaders =
                told(health, member -> health.status(member.id()).orElseThrow().leaderId());
        if (leaders.stream().allMatch(MemberId::isNone)) {
            return List.of(EtcdFinding.error(
                    LEADER,
                    "etcd has no leader: %s; wait for the election, and check that a quorum runs"
                            .formatted(health.leadersNamed())));
        }
        if (leaders.stream().filter(leader -> !leader.isNone()).count() > 1
                || health.leader().isEmpty()) {
            return List.of(EtcdFinding.error(
                    LEADER,
                    ("the etcd members do not agree on a leader: %s; wait for the election to end,"
                                    + " or look for two clusters behind these endpoints")
                            .formatted(health.leadersNamed())));
        }
        Set<Long> terms =
                told(health, member -> health.status(member.id()).orElseThrow().raftTerm());
        return terms.size() == 1
                ? List.of()
                : List.of(EtcdFinding.error(
                        LEADER,
                        "the etcd members are in different raft terms: %s; an election is going on, join when it is over"
                                .formatted(heard(health)
                                        .map(member -> member.label() + " in "
                                                + health.status(member.id())
                                                        .orElseThrow()
                                                        .raftTerm())
                                        .collect(Collectors.joining(", ")))));
    }

    private static <T> Set<T> told(EtcdHealth health, Function<Member, T> fact) {
        return heard(health).map(fact).filter(Objects::nonNull).collect(Collectors.toSet());
    }

    private static Stream<Member> heard(EtcdHealth health) {
        return health.voters().stream()
                .filter(member -> health.status(member.id()).isPresent());
    }
}
