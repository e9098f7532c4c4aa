package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Quorum;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The part of {@link JoinDecider} around the vote: whether the other voters are healthy enough for
 * a promotion, and then whether the new voter and the cluster it votes in are, before its join is
 * called done.
 *
 * <p>etcd counts the voters that have ever started, not those that live: it promotes while a voter
 * is down, and a cluster of three becomes one of four that bears no failure at all (F32 of
 * docs/failure-catalogue.md). Nor does it mind a voter that the new one cannot reach (F21). So each
 * must answer, and answer this node at its peer port.
 */
record VoteDecider(MemberAdder adder, RejoinOptions options, JoinLimits limits) {

    /** A call is good for that long; between two looks the members are asked anyway. */
    private static final Duration CALL_AGE = Duration.ofSeconds(5);

    /** The promotion, the calls that have to come before it, or the wait for a voter's return. */
    JoinDecision beforeVote(JoinFacts facts, EtcdHealth health, JoinDecision.Promote promote) {
        Quorum after = health.quorum().plusOne();
        List<Member> answering =
                health.voters().stream().filter(health::healthy).toList();
        if (!enough(answering.size() + 1, after)) {
            return waiting(facts, answering.size() + 1, after, health.unhealthyMembers());
        }
        Optional<PeerReach> reach = PeerReach.of(facts, CALL_AGE, answering);
        if (reach.isEmpty()) {
            return new JoinDecision.CallPeers(answering);
        }
        int healthy = (int) answering.stream().filter(reach.get()::reaches).count() + 1;
        String problems = Stream.of(health.unhealthyMembers(), reach.get().closed(answering))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        if (!enough(healthy, after)) {
            return waiting(facts, healthy, after, problems);
        }
        boolean alreadySaid =
                healthy == after.voters() || facts.memory().sent().promotion().isPresent();
        return alreadySaid
                ? promote
                : new JoinDecision.Promote(
                        promote.entry(),
                        promote.learner(),
                        "promoting although not every voter is healthy, because of --allow-degraded: %s, %s; %s"
                                .formatted(
                                        count(healthy, after),
                                        spare(healthy - after.size()),
                                        problems));
    }

    private boolean enough(int healthy, Quorum voters) {
        return healthy >= voters.needed(options.allowDegraded());
    }

    private static String count(int healthy, Quorum after) {
        return "%d of %d voters would be healthy and %d must be"
                .formatted(healthy, after.voters(), after.size());
    }

    private static String spare(int more) {
        return more == 0 ? "no spare: one more failure stops etcd" : "%d to spare".formatted(more);
    }

    private JoinDecision waiting(JoinFacts facts, int healthy, Quorum after, String problems) {
        String rule = healthy < after.size()
                ? "not enough voters are healthy"
                : "not every other voter is healthy, and only --allow-degraded promotes then";
        return new JoinDecision.Wait(
                WaitReason.VOTER_UNHEALTHY,
                "%s (%s): %s".formatted(rule, count(healthy, after), problems),
                Duration.ZERO,
                facts.memory().learnerProgress().flatMap(LearnerProgress::progress));
    }

    /** The end of the join once the new voter and its cluster are healthy, or the wait for that. */
    JoinDecision afterVote(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        String missing = missing(facts, entry, health, own);
        String others = missing.isEmpty() ? missingOfOthers(health) : "";
        if (missing.isEmpty() && others.isEmpty()) {
            return new JoinDecision.Finish(
                    entry.to(JoinState.DONE, facts.now()),
                    own,
                    changesOfOthers(entry, health.members(), own));
        }
        Instant since = facts.memory().waits().voter().orElse(facts.now());
        // a voter that was added as one may still be on its first start
        Duration limit = adder.addsLearners() ? limits.finalCheck() : limits.fault();
        if (!JoinDeadlines.passed(since, facts.now(), limit)) {
            return new JoinDecision.Wait(
                    WaitReason.SETTLING,
                    "the member is a voter; " + missing + others,
                    Duration.ZERO);
        }
        return missing.isEmpty()
                ? new JoinDecision.Fail(
                        FailReason.OTHERS_UNHEALTHY,
                        new Problem(
                                "etcd member %s is a voter, but not every other voter is healthy"
                                        .formatted(own.describe()),
                                others,
                                "bring the others back, then run the same command again; with --allow-degraded a"
                                        + " majority is enough"))
                : new JoinDecision.Fail(
                        FailReason.UNHEALTHY,
                        new Problem(
                                "etcd member %s is a voter but unhealthy".formatted(own.describe()),
                                missing,
                                "see etcd's log on this node, then run the same command again"));
    }

    private String missingOfOthers(EtcdHealth health) {
        return enough(health.healthyVoters(), health.quorum())
                ? ""
                : "of %d voters only %d are healthy: %s"
                        .formatted(
                                health.quorum().voters(),
                                health.healthyVoters(),
                                health.unhealthyMembers());
    }

    /**
     * What the new voter still lacks, as a part of a sentence. The member list is the cluster's
     * view; the member itself serves clients only once it has learned of its promotion.
     */
    static String missing(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        if (!own.started()) {
            return "it has not published its name yet";
        }
        Optional<MemberStatus> answer = health.status(own.id());
        if (answer.isEmpty()) {
            return "it does not answer: " + health.silences().get(own.id());
        }
        MemberStatus status = answer.get();
        if (status.learner()) {
            return "it has not applied its promotion yet";
        }
        if (status.leaderId().isNone()) {
            return "it knows no leader";
        }
        if (!status.errors().isEmpty()) {
            return "it reports "
                    + status.errors().stream().map(String::strip).collect(Collectors.joining(", "));
        }
        if (status.appliedIndex() < entry.commit()) {
            return "it has not applied what was committed before its promotion";
        }
        return facts.node().notReadyReason().isEmpty()
                ? ""
                : "it is not ready: " + facts.node().notReadyReason();
    }

    /**
     * How the member list differs from the one before the add and the new member; empty if it does
     * not.
     */
    private static String changesOfOthers(JoinEntry entry, List<Member> members, Member own) {
        Stream<String> gone = entry.before().stream()
                .filter(before ->
                        members.stream().noneMatch(member -> member.id().equals(before.id())))
                .map(member -> member.describe() + " was removed");
        Stream<String> come = members.stream()
                .filter(member -> !member.id().equals(own.id()) && !entry.wasListedBefore(member))
                .map(member -> member.describe() + " was added");
        String changes = Stream.concat(gone, come).collect(Collectors.joining("; "));
        return changes.isEmpty()
                ? ""
                : "the members of etcd were changed by another program or operator during the join: "
                        + changes;
    }
}
