package io.kjadm.etcd;

/** Why a membership change has to wait. */
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
    UNCONFIRMED
}
