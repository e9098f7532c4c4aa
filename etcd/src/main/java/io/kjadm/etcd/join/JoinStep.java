package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

import java.time.Duration;
import java.util.Optional;

/** What one step of a join came to. */
public sealed interface JoinStep {

    /**
     * Something was done; the next step may follow at once.
     *
     * @param message for the operator; empty if it is not worth a word
     */
    record Progressed(String message) implements JoinStep {}

    /**
     * The next step must not come before the pause is over.
     *
     * @param detail who or what is awaited
     * @param progress of a learner that catches up
     */
    record Waiting(
            WaitReason reason,
            String detail,
            Duration pause,
            Optional<ReplicationProgress> progress)
            implements JoinStep {}

    /**
     * The member votes and is well.
     *
     * @param message what else the operator should know; empty if nothing
     */
    record Joined(Member member, String message) implements JoinStep {}

    /** The join cannot go on; {@link MemberJoinExecutor#rollBack} rolls back what it can. */
    record Failed(FailReason reason, Problem problem) implements JoinStep {}

    /**
     * The join is rolled back as far as it can be.
     *
     * @param node what became of this node's data; empty if nothing was touched
     */
    record RolledBack(RollbackOutcome outcome, String node) implements JoinStep {}
}
