package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Adds the member as a voter at once, as kubeadm did before learners. From that instant the member
 * counts for the quorum: a second voter that never starts stops a cluster of one for good. Kept for
 * clusters that switch EtcdLearnerMode off.
 */
public final class LegacyVotingMemberAdder implements MemberAdder {

    @Override
    public Member add(EtcdCluster cluster, List<URI> peerUrls) {
        return cluster.addVoter(peerUrls);
    }

    @Override
    public boolean addsLearners() {
        return false;
    }

    /** With a vote at stake from the start, every present voter must be well. */
    @Override
    public Optional<JoinDecision> obstacle(EtcdHealth health) {
        if (health.allVotersHealthy()) {
            return Optional.empty();
        }
        return Optional.of(new JoinDecision.Wait(
                WaitReason.UNHEALTHY, health.unhealthyMembers(), Duration.ofSeconds(1)));
    }

    @Override
    public JoinDecision follow(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        return new JoinDecision.Fail(
                FailReason.LISTED_AS_LEARNER,
                new Problem(
                        "this node is already listed as learner " + own.describe(),
                        "it was added while EtcdLearnerMode was on, and only that way can promote it",
                        "switch EtcdLearnerMode on again, or reset this node, then join"));
    }
}
