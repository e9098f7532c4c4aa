package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.LEADER;
import static io.kjadm.etcd.check.EtcdRule.LISTS;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.PeerUrls;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The members agree on who leads them and who they are. */
final class AgreementRules {

    private AgreementRules() {}

    /** The voters name one leader, in one raft term. */
    static List<EtcdFinding> leader(ClusterFacts facts) {
        EtcdHealth health = facts.health();
        Set<MemberId> leaders =
                said(health, member -> health.status(member.id()).orElseThrow().leaderId());
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
                said(health, member -> health.status(member.id()).orElseThrow().raftTerm());
        return terms.size() == 1
                ? List.of()
                : List.of(EtcdFinding.error(
                        LEADER,
                        "the etcd members are in different raft terms: %s; an election is going on, wait until it is over"
                                .formatted(answering(health)
                                        .map(member -> member.label() + " in "
                                                + health.status(member.id())
                                                        .orElseThrow()
                                                        .raftTerm())
                                        .collect(Collectors.joining(", ")))));
    }

    private static <T> Set<T> said(EtcdHealth health, Function<Member, T> fact) {
        return answering(health).map(fact).filter(Objects::nonNull).collect(Collectors.toSet());
    }

    private static Stream<Member> answering(EtcdHealth health) {
        return health.voters().stream()
                .filter(member -> health.status(member.id()).isPresent());
    }

    /**
     * Every endpoint lists the same members, from its own memory as by agreement. Otherwise
     * removed members have come back, a promotion was recorded in part, or an add was: members with
     * different {@code --max-learners} do not all accept it (etcd 3.6 and newer).
     */
    static List<EtcdFinding> lists(ClusterFacts facts) {
        Map<String, TreeSet<String>> lists = new LinkedHashMap<>();
        for (Member voter : facts.health().voters()) {
            MemberProbe look = facts.looks().get(voter.id());
            if (look != null) {
                put(lists, voter.label() + " (linearizable)", look.agreed());
                put(lists, voter.label() + " (local)", look.local());
            }
        }
        if (lists.values().stream().distinct().count() <= 1) {
            return List.of();
        }
        return List.of(EtcdFinding.error(
                LISTS,
                ("the etcd members do not list the same members: %s; a member that was removed has come"
                                + " back, a promotion was recorded in part, or the members have different --max-learners, and a change would"
                                + " make it worse: compare \"kjadm etcd status\" at each of them, upgrade etcd 3.5 to 3.5.26 or newer, give all"
                                + " members the same --max-learners, and repair the list first")
                        .formatted(String.join("; ", difference(lists)))));
    }

    private static void put(
            Map<String, TreeSet<String>> lists, String where, Optional<List<Member>> list) {
        list.ifPresent(members -> {
            var lines = new TreeSet<String>();
            // names and client URLs come later by themselves and do not matter for who counts
            members.forEach(member -> lines.add("%s %s %s"
                    .formatted(
                            member.id(),
                            member.learner() ? "learner" : "voter",
                            PeerUrls.of(member))));
            lists.put(where, lines);
        });
    }

    /** Each entry that is not on every list, with those that have it and those that have not. */
    private static List<String> difference(Map<String, TreeSet<String>> lists) {
        var all = new TreeSet<String>();
        lists.values().forEach(all::addAll);
        List<String> differences = new ArrayList<>();
        for (String line : all) {
            List<String> with = lists.keySet().stream()
                    .filter(where -> lists.get(where).contains(line))
                    .toList();
            if (with.size() < lists.size()) {
                List<String> without = lists.keySet().stream()
                        .filter(where -> !with.contains(where))
                        .toList();
                differences.add("+ %s: at %s; - not at %s"
                        .formatted(line, String.join(", ", with), String.join(", ", without)));
            }
        }
        return differences;
    }
}
