package io.kjadm.core.etcd.check;

import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.check.Candidate;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.check.PeerContact;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Looks at all members at the same time, at their clients' and at their peers' side, and again
 * while what is seen may pass. A silent member costs 5 s, and an election that is going on is given
 * 4 s to end, so that what does not pass is known in less than 10 s. Only a voter that takes its
 * peers' calls and does not serve clients is given a minute.
 *
 * @param callers begins a call to the peer port of each of these members
 */
record ClusterObserver(
        EtcdProbe probe,
        Waiter waiter,
        ExecutorService threads,
        Function<List<Member>, Map<MemberId, Future<PeerContact>>> callers) {

    private static final String AREA = "check-etcd";
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(4);
    private static final Duration UNTIL_IT_SERVES = Duration.ofMinutes(1);
    private static final Duration FIRST_LOOK = Duration.ofSeconds(5);
    private static final Duration LATER_LOOK = Duration.ofSeconds(1);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

    /** Everybody, seen at one time. */
    record Observed(ClusterFacts cluster, Map<MemberId, PeerContact> contacts) {}

    /** @param silent those that gave no answer, not even a refusal */
    private record Looked(ClusterFacts facts, Set<MemberId> silent) {

        /**
         * A voter that takes its peers' calls and does not serve clients: it is starting, as after
         * a promotion that did not wait for that, or busy with a defragmentation. One that is down
         * takes no calls at all.
         */
        Optional<Member> notServingYet(Candidate candidate, Map<MemberId, PeerContact> contacts) {
            Optional<Member> own = candidate.own(facts.health().members());
            return facts.health().voters().stream()
                    .filter(voter -> silent.contains(voter.id())
                            && own.filter(voter::equals).isEmpty()
                            && contacts.get(voter.id()) instanceof PeerContact.Answered)
                    .findFirst();
        }
    }

    /** @throws EtcdCallException if no member answers, so that not even the member list is known */
    Observed observe(Candidate candidate) {
        List<Member> members = probe.members();
        Map<MemberId, Future<PeerContact>> called = callers.apply(members);
        Looked looked = settled(members);
        Map<MemberId, PeerContact> contacts = done(called);
        Instant end = waiter.now().plus(UNTIL_IT_SERVES);
        Optional<Member> late = looked.notServingYet(candidate, contacts);
        while (late.isPresent() && waiter.now().isBefore(end)) {
            waiter.pause(
                    AREA,
                    "etcd member %s accepts its peers' calls but does not serve clients yet"
                            .formatted(late.get().describe()),
                    BETWEEN_LOOKS);
            members = listed(members);
            called = callers.apply(members);
            looked = look(members, member -> LATER_LOOK);
            contacts = done(called);
            late = looked.notServingYet(candidate, contacts);
        }
        return new Observed(looked.facts(), contacts);
    }

    /**
     * Everybody at their clients' side only.
     *
     * @throws EtcdCallException as {@link #observe}
     */
    ClusterFacts settled() {
        return settled(probe.members()).facts();
    }

    private List<Member> listed(List<Member> before) {
        try {
            return probe.members();
        } catch (EtcdCallException e) {
            return before;
        }
    }

    /**
     * Looked at again for a few seconds while an election or another change may explain what is
     * seen.
     */
    private Looked settled(List<Member> members) {
        Instant end = waiter.now().plus(ANSWER_LIMIT);
        Looked looked = look(members, member -> FIRST_LOOK);
        while (looked.facts().mayPass() && waiter.now().isBefore(end)) {
            waiter.pause(AREA, "the etcd members do not agree yet", BETWEEN_LOOKS);
            Set<MemberId> heard = looked.facts().looks().keySet();
            // who was silent before has cost enough; if it has come back, it answers at once
            looked = look(
                    probe.members(),
                    member -> heard.contains(member.id()) ? FIRST_LOOK : LATER_LOOK);
        }
        return looked;
    }

    private Looked look(List<Member> members, Function<Member, Duration> limit) {
        Map<MemberId, Future<MemberProbe>> asked = new LinkedHashMap<>();
        members.stream()
                .filter(Member::started)
                .forEach(member -> asked.put(
                        member.id(),
                        threads.submit(() -> probe.look(member, limit.apply(member)))));
        Map<MemberId, MemberProbe> looks = new HashMap<>();
        Map<MemberId, String> silences = new HashMap<>();
        Set<MemberId> silent = members.stream()
                .filter(member -> !member.started())
                .map(Member::id)
                .collect(Collectors.toCollection(HashSet::new));
        asked.forEach((id, look) -> {
            try {
                looks.put(id, PeerCalls.done(look));
            } catch (EtcdCallException e) {
                silences.put(id, e.text());
                if (e.errorClass() == ErrorClass.TRANSIENT) {
                    silent.add(id);
                }
            }
        });
        return new Looked(ClusterFacts.of(members, looks, silences), silent);
    }

    private static Map<MemberId, PeerContact> done(Map<MemberId, Future<PeerContact>> called) {
        Map<MemberId, PeerContact> contacts = new HashMap<>();
        called.forEach((id, call) -> contacts.put(id, PeerCalls.done(call)));
        return contacts;
    }
}
