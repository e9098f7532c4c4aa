package io.kjadm.etcd.compare;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.MembershipJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.etcd.join.RollbackOutcome;

import java.time.Duration;
import java.time.Instant;

/**
 * One run of a join as the program makes it: steps until it has joined, or has failed and taken
 * back what it can.
 */
final class Tool {

    private static final Duration INTERVAL = Duration.ofMillis(250);

    private final MemberJoinExecutor joiner;

    Tool(
            NewMember wanted,
            MemberAdder adder,
            JoinLimits limits,
            EtcdCluster cluster,
            MembershipJournal journal,
            LocalMember node,
            String runId) {
        joiner = new MemberJoinExecutor(
                wanted,
                adder,
                new JoinDecider(wanted, runId, adder, RejoinOptions.NONE, limits),
                cluster,
                journal,
                node,
                Instant::now);
    }

    /** @return what it came to, in words */
    String run() {
        while (true) {
            switch (joiner.step()) {
                case JoinStep.Progressed ignored -> {}
                case JoinStep.Waiting wait -> pause(wait);
                case JoinStep.Joined ignored -> {
                    return "joined";
                }
                case JoinStep.Failed(FailReason _, Problem problem) -> {
                    System.err.println("    failed: " + problem.facts());
                    return takenBack();
                }
                case JoinStep.RolledBack other -> throw new IllegalStateException(other.toString());
            }
        }
    }

    private String takenBack() {
        while (true) {
            switch (joiner.rollBack()) {
                case JoinStep.RolledBack(RollbackOutcome outcome, String ignored) -> {
                    System.err.println("    " + outcome);
                    return switch (outcome) {
                        case RollbackOutcome.Removed removed -> "rolled back";
                        case RollbackOutcome.NothingListed nothing -> "nothing was added";
                        case RollbackOutcome.WasGone gone -> "gone";
                        case RollbackOutcome.Votes votes -> "voter, unhealthy";
                        case RollbackOutcome.StaysAsAsked stays -> "stays";
                        case RollbackOutcome.Kept kept -> "failed";
                    };
                }
                case JoinStep.Waiting wait -> pause(wait);
                case JoinStep ignored -> {}
            }
        }
    }

    private static void pause(JoinStep.Waiting wait) {
        Pauses.sleep(wait.pause().compareTo(INTERVAL) < 0 ? INTERVAL : wait.pause());
    }
}
