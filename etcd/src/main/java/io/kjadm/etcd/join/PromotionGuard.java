package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Quorum;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The other voters before a promotion. etcd counts those that have ever started, not those that
 * live: it promotes while a voter is down, and a cluster of three becomes one of four that bears no
 * failure at all (F32 of docs/failure-catalogue.md). Nor does it mind a voter that the new one
 * cannot reach (F21). So each must answer, and answer this node at its peer port.
 */
record PromotionGuard(RejoinOptions options) {

    /** A call is good for that long; between two looks the members are asked anyway. */
    private static final Duration CALL_AGE = Duration.ofSeconds(5);

    /** The promotion, the calls that have to come before it, or the wait for a voter's return. */
    JoinDecision decide(JoinFacts facts, EtcdHealth health, JoinDecision.Promote promote) {
        Quorum after = health.quorum().plusOne();
        List<Member> answering =
                health.voters().stream().filter(health::healthy).toList();
        if (!enough(answering.size() + 1, after)) {
            return waiting(facts, answering.size() + 1, after, health.ailing());
        }
        Optional<PeerReach> reach = PeerReach.of(facts, CALL_AGE, answering);
        if (reach.isEmpty()) {
            return new JoinDecision.CallPeers(answering);
        }
        int well = (int) answering.stream().filter(reach.get()::reaches).count() + 1;
        String amiss = Stream.of(health.ailing(), reach.get().closed(answering))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        if (!enough(well, after)) {
            return waiting(facts, well, after, amiss);
        }
        boolean told = well == after.voters() || facts.memory().promoteSent().isPresent();
        return told
                ? promote
                : new JoinDecision.Promote(
                        promote.entry(),
                        promote.learner(),
                        "promoting although not every voter is healthy, because of --allow-degraded: %s, %s; %s"
                                .formatted(count(well, after), spare(well - after.size()), amiss));
    }

    private boolean enough(int well, Quorum after) {
        return well >= (options.allowDegraded() ? after.size() : after.voters());
    }

    private static String count(int well, Quorum after) {
        return "%d of %d voters would be healthy and %d must be"
                .formatted(well, after.voters(), after.size());
    }

    private static String spare(int more) {
        return more == 0 ? "no spare: one more failure stops etcd" : "%d to spare".formatted(more);
    }

    private JoinDecision waiting(JoinFacts facts, int well, Quorum after, String amiss) {
        String rule = well < after.size()
                ? "not enough voters are healthy"
                : "not every other voter is healthy, and only --allow-degraded promotes then";
        return new JoinDecision.Wait(
                WaitReason.VOTER_AILING,
                "%s (%s): %s".formatted(rule, count(well, after), amiss),
                Duration.ZERO,
                facts.memory().learnerProgress().flatMap(LearnerProgress::progress));
    }
}
