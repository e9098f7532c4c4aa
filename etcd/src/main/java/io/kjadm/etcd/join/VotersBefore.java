package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Quorum;
import java.time.Duration;

/**
 * The other voters before a promotion. etcd counts those that have ever started, not those that live: it promotes while a
 * voter is down, and a cluster of three becomes one of four that bears no failure at all (etcd reference §6.3 F32).
 */
record VotersBefore(RejoinOptions options) {

    /** The promotion, or the wait for a voter's return. */
    JoinDecision decide(JoinFacts facts, EtcdHealth health, JoinDecision.Promote promote) {
        Quorum after = health.quorum().plusOne();
        int well = (int) health.healthyVoters() + 1;
        if (well == after.voters()) {
            return promote;
        }
        String count = "%d of %d voters would be well and %d must be".formatted(well, after.voters(), after.size());
        if (well < after.size()) {
            return waiting(facts, "%s: %s".formatted(count, health.ailing()));
        }
        if (!options.allowDegraded()) {
            return waiting(facts, "not every other voter is well, and only --allow-degraded promotes then (%s): %s"
                    .formatted(count, health.ailing()));
        }
        boolean told = facts.memory().promoteSent().isPresent();
        return told ? promote : new JoinDecision.Promote(promote.entry(), promote.learner(),
                "promoting though not every voter is well, as --allow-degraded says: %s, %s; %s".formatted(
                        count, spare(well - after.size()), health.ailing()));
    }

    private static String spare(int more) {
        return more == 0 ? "no spare: one more failure stops etcd" : "%d to spare".formatted(more);
    }

    private static JoinDecision waiting(JoinFacts facts, String detail) {
        return new JoinDecision.Wait(WaitReason.VOTER_AILING, detail, Duration.ZERO,
                facts.memory().following().flatMap(Following::progress));
    }
}
