package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The one next thing to do. An {@code entry} is on disk before the rest of the decision is carried
 * out.
 */
public sealed interface JoinDecision {

    /** Only note where the join stands. */
    record Note(JoinEntry entry, String message) implements JoinDecision {}

    /** Send the add. */
    record Add(JoinEntry entry) implements JoinDecision {}

    /** Start the member, or start it anew with the present list. */
    record WriteManifest(JoinEntry entry, List<Member> members, Member own)
            implements JoinDecision {}

    /** Call the peer ports of these voters from this node, and decide again. */
    record CallPeers(List<Member> voters) implements JoinDecision {}

    /** See whether anybody listens on the peer port of somebody else's learner, and decide again. */
    record ProbePeerPort(Member learner) implements JoinDecision {}

    /**
     * Send the promotion.
     *
     * @param message for the operator; empty if everybody is well
     */
    record Promote(JoinEntry entry, Member learner, String message) implements JoinDecision {}

    /**
     * Remove a member that is listed under our URL, or in our way, and cannot be used.
     *
     * @param why for the operator
     */
    record RemoveBlockingLearner(Member member, String why) implements JoinDecision {}

    /** Remove the learner this node added. */
    record RemoveOwnLearner(JoinEntry entry, Member learner) implements JoinDecision {}

    /**
     * Stop what runs on this node and set its data aside, then forget the journal.
     *
     * @param outcome of a join that is being rolled back; empty if it begins anew
     */
    record CleanNode(Optional<JoinEntry> entry, String message, Optional<RollbackOutcome> outcome)
            implements JoinDecision {}

    /** Look again, not before the pause is over. */
    record Wait(
            WaitReason reason,
            String detail,
            Duration pause,
            Optional<ReplicationProgress> progress)
            implements JoinDecision {

        Wait(WaitReason reason, String detail, Duration pause) {
            this(reason, detail, pause, Optional.empty());
        }
    }

    /**
     * The member votes and is well.
     *
     * @param message what else the operator should know; empty if nothing
     */
    record Finish(JoinEntry entry, Member member, String message) implements JoinDecision {}

    /** It cannot go on. What was added has still to be rolled back. */
    record Fail(FailReason reason, Problem problem) implements JoinDecision {

        public Fail {
            problem = problem.because(reason);
        }
    }

    /**
     * Rolling back has come to its end.
     *
     * @param entry what the journal says from now on; empty if it is forgotten
     */
    record RolledBack(RollbackOutcome outcome, Optional<JoinEntry> entry) implements JoinDecision {}
}
