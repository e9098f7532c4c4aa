package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Everything that a decision is made of.
 *
 * @param journal what an earlier step or run noted
 * @param node what was seen of this node
 * @param memory what this run has seen and sent so far, this look included
 * @param rollingBack whether the join has failed and is being rolled back
 */
public record JoinFacts(
        Instant now,
        Optional<JoinEntry> journal,
        ClusterView view,
        Node node,
        JoinMemory memory,
        boolean rollingBack) {

    /**
     * This node.
     *
     * @param startProblem what would keep a member from starting here, asked before the add
     * @param notReadyReason why its etcd does not call itself ready; empty if it does, or need not
     *         yet
     */
    public record Node(
            LocalDataDir dataDir,
            LocalMemberHealth life,
            Optional<StartProblem> startProblem,
            String notReadyReason) {}

    /**
     * How much longer a promotion that was sent may still be applied. Until then our learner is not
     * removed for any reason, as etcd cannot remove "only if still a learner".
     *
     * @param entry of the journal
     * @return zero if none can come
     */
    Duration promotionMayComeFor(JoinEntry entry) {
        if (entry.state() != JoinState.PROMOTING) {
            return Duration.ZERO;
        }
        // an earlier run may have sent one right before this one began
        Instant sent = memory.sent().promotion().orElse(memory.since());
        Duration left = Duration.between(now, sent.plus(EtcdCluster.LATE_CHANGE));
        return left.isPositive() ? left : Duration.ZERO;
    }

    /**
     * The listed member whose data is on this node, if it is not the one that the journal is about:
     * then the journal is of an earlier join, and neither manifest nor data is its to take away.
     */
    Optional<Member> otherOwner(JoinEntry entry) {
        return view instanceof ClusterView.Seen(EtcdHealth health)
                ? node.dataDir()
                        .dataOf()
                        .flatMap(health::find)
                        .filter(owner ->
                                entry.memberId().filter(owner.id()::equals).isEmpty())
                : Optional.empty();
    }
}
