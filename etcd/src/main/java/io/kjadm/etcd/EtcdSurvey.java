package io.kjadm.etcd;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A look at the cluster that needs neither quorum nor leader: each member is asked for what it
 * knows itself. What decides about a change is {@link EtcdHealth#ask(EtcdCluster)}, whose list all
 * voters agree on; this is for looking.
 */
public sealed interface EtcdSurvey {

    /**
     * Somebody told the members.
     *
     * @param clusterId as the most advanced voter tells it; empty if that was not heard
     * @param health of the members that the most advanced voter lists
     * @param disputes what else the members say differently, a sentence each
     */
    record Heard(String clusterId, EtcdHealth health, List<String> disputes) implements EtcdSurvey {
        public Heard {
            disputes = List.copyOf(disputes);
        }
    }

    /**
     * Nobody did.
     *
     * @param reasons why not, by endpoint in the order asked
     * @param late whether the time was too short for one of them, so that it may answer yet; no
     *     machine that refuses is late
     */
    record Silence(Map<URI, String> reasons, boolean late) implements EtcdSurvey {
        public Silence {
            reasons = Collections.unmodifiableMap(new LinkedHashMap<>(reasons));
        }
    }

    /**
     * Asks all endpoints at once for the members, then all members at once how they are. Silent
     * ones cost their deadline of some seconds once in each round.
     */
    static EtcdSurvey of(EtcdCluster cluster, Collection<URI> endpoints) {
        Map<URI, EtcdCallException> failures = new ConcurrentHashMap<>();
        Optional<List<Member>> first = cluster.membersKnownToFirst(endpoints, failures);
        if (first.isPresent()) {
            return heard(cluster, first.get());
        }
        var inOrder = new LinkedHashMap<URI, String>();
        endpoints.forEach(url -> inOrder.put(url, failures.get(url).reason()));
        return new Silence(
                inOrder,
                failures.values().stream()
                        .anyMatch(failure -> failure.code() == RpcCode.DEADLINE_EXCEEDED));
    }

    private static Heard heard(EtcdCluster cluster, List<Member> first) {
        EtcdHealth health = EtcdHealth.ask(cluster, first);
        Map<Member, List<Member>> lists = lists(cluster, health);
        Optional<Member> best = lists.keySet().stream()
                .max(Comparator.comparingLong((Member member) ->
                                health.statuses().get(member.id()).raftTerm())
                        .thenComparingLong(
                                member -> health.statuses().get(member.id()).appliedIndex()));
        List<Member> members = best.map(lists::get).orElse(first);
        EtcdHealth chosen = members.equals(first) ? health : EtcdHealth.ask(cluster, members);
        String clusterId = best.map(member -> health.statuses().get(member.id()).clusterId())
                .orElse("");
        return new Heard(clusterId, chosen, disputes(chosen, clusterId, members, lists));
    }

    /** What every voter that answers says the members are. */
    private static Map<Member, List<Member>> lists(EtcdCluster cluster, EtcdHealth health) {
        List<Member> answering = health.voters().stream()
                .filter(member -> health.status(member.id()).isPresent())
                .toList();
        return cluster.membersKnownToEach(answering);
    }

    private static List<String> disputes(
            EtcdHealth health,
            String clusterId,
            List<Member> members,
            Map<Member, List<Member>> lists) {
        var disputes = new ArrayList<String>();
        health.members()
                .forEach(member -> health.status(member.id())
                        .map(MemberStatus::clusterId)
                        .filter(Predicate.not(clusterId::equals))
                        .ifPresent(other -> disputes.add("%s belongs to another cluster, %s"
                                .formatted(member.label(), other))));
        Set<String> agreed = roles(members);
        lists.forEach((member, list) -> {
            if (!roles(list).equals(agreed)) {
                disputes.add("%s lists other members: %s"
                        .formatted(
                                member.label(),
                                list.stream()
                                        .map(Member::describe)
                                        .collect(Collectors.joining("; "))));
            }
        });
        return disputes;
    }

    private static Set<String> roles(List<Member> members) {
        return members.stream()
                .map(member -> member.id() + (member.learner() ? " learner" : " voter"))
                .collect(Collectors.toSet());
    }
}
