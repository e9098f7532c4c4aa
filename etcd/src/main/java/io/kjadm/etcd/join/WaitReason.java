package io.kjadm.etcd.join;

/** Why a join has to wait. */
public enum WaitReason {
    /** Another learner is on its way; its turn comes first. */
    TOO_MANY_LEARNERS,
    /** Another member was added and has not started yet. */
    MEMBER_NOT_STARTED,
    /** Some voter is not well, or not connected for 5 s yet. */
    UNHEALTHY,
    NO_LEADER,
    /** Nobody answers. */
    UNREACHABLE,
    /** The reply to a change was lost and the change may still be applied. */
    UNCONFIRMED,
    /** This node could not start a member yet. */
    NODE_UNFIT,
    /** Our own member has not started yet. */
    STARTING,
    /** Our own member follows and is not ready to vote. */
    CATCHING_UP,
    /** Our own member could vote, and some other voter is not well. */
    VOTER_UNHEALTHY,
    /** Our own member votes and is not well yet. */
    SETTLING;

    /** Waiting for one's turn is no fault. */
    public boolean queueing() {
        return this == TOO_MANY_LEARNERS || this == MEMBER_NOT_STARTED;
    }

    /** A fault of the cluster or of this node that must pass soon. */
    boolean fault() {
        return this == NODE_UNFIT
                || this == UNHEALTHY
                || this == NO_LEADER
                || this == UNREACHABLE
                || this == UNCONFIRMED;
    }
}
