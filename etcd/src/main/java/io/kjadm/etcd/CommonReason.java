package io.kjadm.etcd;

/** Reasons that operations of several subjects have. */
public enum CommonReason implements ProblemReason {
    /** Too few voters of etcd are healthy to agree on anything. */
    NO_QUORUM,
    /** The others would be no quorum without this member. */
    NEEDED_FOR_QUORUM,
    /** Without this member there is no cluster. */
    ONLY_VOTER,
    /** The voters of etcd do not agree on a leader. */
    NO_LEADER,
    /** An alarm of etcd is raised. */
    ALARM,
    /** The member does not answer. */
    NO_ANSWER,
    /** The learner has never started. */
    NOT_STARTED,
    /** The learner follows the leader. */
    FOLLOWS,
    /** A node may be joining as the learner. */
    JOINING,
    /** No member, or more than one, has the name or ID. */
    UNKNOWN_MEMBER,
    /** Another run changes the members of etcd. */
    LOCK_HELD,
    /** Another run may change the members of etcd by now, while this one meant to. */
    LOCK_LOST,
    /** A member that was to be removed is still a member. */
    STILL_LISTED,
    /** Another program or operator promoted the member. */
    PROMOTED,
    /** It did not happen within its limit. */
    TIMED_OUT,
    /** It failed, and this node is as it was before. */
    ROLLED_BACK,
    /** It failed, and something on this node could not be put back. */
    PARTLY_ROLLED_BACK,
    /** etcd of the version before would not start. */
    FORWARD_ONLY,
    /** A disk has too little room. */
    NO_SPACE,
    /** A member other than the one that is meant is unhealthy. */
    MEMBERS_UNHEALTHY,
    /** What was given or found belongs to another cluster. */
    OTHER_CLUSTER,
    /** etcd is external, or none of this node's. */
    EXTERNAL_ETCD,
    /** What was read is damaged or incomplete. */
    DAMAGED,
    /** A snapshot is not signed or not encrypted as this machine demands. */
    NOT_ACCEPTED,
    /** etcd's authentication refuses what is asked. */
    NOT_PERMITTED,
    /** A server has a certificate that is not trusted. */
    NOT_TRUSTED,
    /** A CA has no key on this machine, has expired, or may not sign. */
    CA_CANNOT_SIGN,
    /** etcd, or its service, ends again and again. */
    DOES_NOT_RUN,
    /** What was to be created exists. */
    EXISTS,
    /** Each start of etcd would make a cluster of this member alone. */
    STARTS_ALONE,
    /** etcd's write-ahead log is not with its data. */
    LOG_ELSEWHERE,
    /** etcd would be started with another directory than that of its data. */
    DATA_ELSEWHERE
}
