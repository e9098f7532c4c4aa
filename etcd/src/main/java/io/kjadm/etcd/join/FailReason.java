package io.kjadm.etcd.join;

import io.kjadm.etcd.ProblemReason;

/** Why a join cannot go on; the {@link io.kjadm.etcd.Problem} next to it is for the operator. */
public enum FailReason implements ProblemReason {
    /** etcd refuses this node's certificate or request. */
    ACCESS_REFUSED,
    /** The member was added, and the list of members can no longer be read. */
    MEMBERS_UNREADABLE,
    /** The journal is of a join of another cluster. */
    OTHER_CLUSTER,
    /** The journal is of a join under another name or address. */
    OTHER_MEMBER,
    /** Another program or operator removed the member. */
    REMOVED,
    /** The journal is of another member than the one whose data this node holds. */
    OTHER_DATA,
    /** etcd does not know learners and added a voter. */
    ADDED_AS_VOTER,
    /** etcd refuses the promotion for good. */
    PROMOTION_REFUSED,
    /** etcd did not accept another member within the limit of a fault. */
    NOT_ACCEPTED,
    /** Nothing on this node answers for the member. */
    NO_START,
    /** etcd on this node ends, and does so for a reason that does not pass. */
    START_FAILED,
    /** Neither its log nor its data grows. */
    STALLED,
    /** It moves, and does not vote at the limit of the whole join. */
    TOO_SLOW,
    /** It could vote, and another voter stayed unhealthy. */
    NOT_PROMOTED,
    /** It votes and is unhealthy. */
    UNHEALTHY,
    /** It votes, and too few other voters are healthy. */
    OTHERS_UNHEALTHY,
    /** It is a learner of an earlier run, and is to be added as a voter now. */
    LISTED_AS_LEARNER,
    /** Another member has this node's peer URL. */
    URL_TAKEN,
    /** Another member has this node's name. */
    NAME_TAKEN,
    /** Another machine runs a member under this node's peer URL. */
    ADDRESS_SHARED,
    /** A learner of this node's peer URL has run, and its data is not here. */
    LEARNER_WITHOUT_DATA,
    /** A learner of this node's peer URL is listed that this node did not add. */
    UNKNOWN_LEARNER,
    /** This node is a voter that lost its data. */
    VOTER_WITHOUT_DATA,
    /** A voter of this node's peer URL is listed that has not started. */
    UNKNOWN_VOTER,
    /** A voter cannot be replaced: the others are no quorum without it. */
    VOTER_NEEDED,
    /** The data directory is of a member that is not listed. */
    FOREIGN_DATA,
    /** etcd refuses to remove a member that is in the way. */
    REMOVAL_REFUSED,
    /** This node cannot start a member. */
    NODE_UNFIT,
    /** Another member was joining for too long. */
    QUEUED_TOO_LONG,
    /** The version of etcd has no learners. */
    NO_LEARNERS,
    /** An alarm is raised, or a downgrade is enabled. */
    CLUSTER_UNFIT,
    /** etcd refuses the add. */
    ADD_REFUSED,
    /** The member of an earlier run cannot be rolled back. */
    KEPT
}
