package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Adds a learner and promotes it when it has caught up (KEP-3614): a member that never starts costs
 * the others nothing.
 */
public final class LearnerMemberAdder implements MemberAdder {

    /** Between two looks that must both find the learner close, and between two promotions. */
    private static final Duration SECOND_LOOK = Duration.ofSeconds(1);

    @Override
    public Member add(EtcdCluster cluster, List<URI> peerUrls) {
        return cluster.addLearner(peerUrls);
    }

    @Override
    public boolean addsLearners() {
        return true;
    }

    /**
     * A member whose version nobody knows counts as one minor older than the oldest heard, the most
     * that a cluster mixes.
     */
    @Override
    public Optional<JoinDecision> obstacle(EtcdHealth health) {
        Optional<Problem> unknown = health.learnersUnknown();
        if (unknown.isPresent()) {
            return unknown.map(problem -> new JoinDecision.Fail(FailReason.NO_LEARNERS, problem));
        }
        EtcdVersion oldest = health.versions().getFirst();
        if (health.silences().isEmpty() || oldest.atLeast(3, 5)) {
            return Optional.empty();
        }
        return Optional.of(new JoinDecision.Wait(
                WaitReason.UNHEALTHY,
                "the version of a member that does not respond decides whether learners are supported: "
                        + health.unhealthyMembers(),
                Duration.ofSeconds(1)));
    }

    @Override
    public JoinDecision follow(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        if (health.leaderStatus().isEmpty()) {
            return waiting(
                    health.leader()
                            .map(leader -> "the leader does not answer this node: "
                                    + leader.describe() + ": " + health.problem(leader))
                            .orElse("the members do not agree on a leader"),
                    Optional.empty());
        }
        if (health.status(own.id()).isEmpty()) {
            return waiting(
                    facts.memory()
                            .learnerProgress()
                            .flatMap(LearnerProgress::transfer)
                            .map(SnapshotTransfer::describe)
                            .orElseGet(() -> "the member does not answer: "
                                    + health.silences().get(own.id())),
                    Optional.empty());
        }
        LearnerProgress learnerProgress = facts.memory().learnerProgress().orElseThrow();
        ReplicationProgress progress = learnerProgress.progress().orElseThrow();
        Instant now = facts.now();
        boolean close = learnerProgress.closeSince().isPresent();
        // one look is enough at a learner level with the leader; otherwise it has to keep up until
        // the next look
        boolean inSync = close
                && (progress.lag() == 0
                        || !learnerProgress.closeSince().get().plus(SECOND_LOOK).isAfter(now));
        if (!inSync) {
            return waiting(
                    close ? "the member is close to the leader" : "the member is catching up",
                    Optional.of(progress));
        }
        boolean justSent = facts.memory()
                .sent()
                .promotion()
                .filter(sent -> sent.plus(SECOND_LOOK).isAfter(now))
                .isPresent();
        if (justSent) {
            return waiting(
                    facts.memory()
                            .sent()
                            .refusal()
                            .map(JoinMemory.Refusal::text)
                            .orElse("the promotion is not listed yet"),
                    Optional.of(progress));
        }
        return new JoinDecision.Promote(
                entry.member(
                        own.id(),
                        JoinState.PROMOTING,
                        health.leaderStatus().get().raftIndex(),
                        now),
                own,
                "");
    }

    private static JoinDecision waiting(String reason, Optional<ReplicationProgress> progress) {
        return new JoinDecision.Wait(WaitReason.CATCHING_UP, reason, Duration.ZERO, progress);
    }
}
