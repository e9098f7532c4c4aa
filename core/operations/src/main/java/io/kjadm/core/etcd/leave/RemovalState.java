package io.kjadm.core.etcd.leave;

import io.kjadm.etcd.Problem;
import io.kjadm.etcd.ProblemReason;
import io.kjadm.etcd.RemovalPlan;

import java.util.Optional;

/** How it stands with the member that is to leave. */
public sealed interface RemovalState {

    /** It may be removed, is not listed at all, or is all that there is of the cluster. */
    record Allowed(RemovalPlan plan, Optional<String> clusterId) implements RemovalState {}

    /** It is no longer part of the cluster. */
    record Removed() implements RemovalState {}

    /** It may not be removed, or could not be. */
    record Blocked(Reason reason, Problem problem) implements RemovalState {

        public Blocked {
            problem = problem.because(reason);
        }
    }

    /** Why it stays. */
    enum Reason implements ProblemReason {
        /** The others need it. */
        NEEDED_FOR_QUORUM,
        /** The others are down: this node's etcd is of no use without them nor they without it. */
        QUORUM_LOST,
        /** What is noted on this node is about another cluster. */
        OTHER_CLUSTER,
        /** What is listed under this node's address is not shown to be this node's. */
        UNPROVEN,
        /** Nobody can tell, or it could not be removed. */
        UNKNOWN,
        /** Nobody can tell, and not even this node's own etcd answers. */
        UNREACHABLE;

        /**
         * Whether etcd is stopped here all the same, with its data kept: one answer for a stacked
         * and for a standalone etcd.
         *
         * @param force     {@code --force}
         * @param forceLast {@code --force-last-member}, if the operator gave it
         */
        public boolean forcedBy(boolean force, boolean forceLast) {
            return switch (this) {
                case NEEDED_FOR_QUORUM, OTHER_CLUSTER -> false;
                // the others may come back and need it, so it is not given up in passing
                case QUORUM_LOST -> force && forceLast;
                case UNPROVEN, UNKNOWN -> force;
                case UNREACHABLE -> force || forceLast;
            };
        }

        /** The flags that do so, as messages name them; empty if none does. */
        public Optional<String> flags() {
            return switch (this) {
                case NEEDED_FOR_QUORUM, OTHER_CLUSTER -> Optional.empty();
                case QUORUM_LOST -> Optional.of("--force together with --force-last-member");
                case UNPROVEN, UNKNOWN, UNREACHABLE -> Optional.of("--force");
            };
        }
    }

    static Blocked blocked(Reason reason, String what, String why, String next) {
        return new Blocked(reason, new Problem(what, why, next));
    }

    default boolean isBlockedBy(Reason reason) {
        return this instanceof Blocked blocked && blocked.reason() == reason;
    }
}
