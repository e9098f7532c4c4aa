package io.kjadm.etcd.auto;

/**
 * The rules of the automatic mode in their order: the first one whose conditions hold decides. The
 * names are shown by {@code etcd auto explain}.
 */
public enum Rule {
    /** The store holds a cluster file, and the token belongs to it. */
    SEED,
    /** The automatic mode has not ended. */
    RETIRED,
    /** No other machine has the ID of this one. */
    CLONE,
    /** etcd's data directory is on the disk of this machine's member. */
    DISK,
    /** This machine's member was started before, and its etcd has failed. */
    START,
    /** The store holds what this machine has read from it before. */
    UNSAFE,
    /** The store responds. */
    STORE,
    /** This machine's etcd belongs to a generation that ends, or has ended. */
    FENCE,
    /** A generation ends, and this machine founds the next one with its data. */
    RESTORE,
    /** A generation ends, and its members are not all stopped. */
    FENCING,
    /** This machine founds the cluster. */
    FOUND,
    /** The voter that this machine removes responds again. */
    WITHDRAW,
    /** This machine changes the members. */
    CONTINUE,
    /** Others have changed the members. */
    OBSERVED,
    /** The automatic mode is paused. */
    PAUSED,
    /** The founder is gone before clients could use the cluster. */
    ABANDON,
    /** This machine's etcd is a voter that no machine of the log has added. */
    CLAIM,
    /** The machine that changes the members is gone. */
    TAKE_OVER,
    /** Another kjadm changes this machine, or another machine changes the members. */
    BUSY,
    /** Enough machines are ready to found a cluster. */
    FORM,
    /** Not enough machines are ready, or the founder has not finished. */
    MACHINES,
    /** Enough members vote. */
    READY,
    /** etcd of this machine does not end as soon as it is started. */
    UNIT,
    /** The members respond as the log says. */
    MEMBERS,
    /** This machine's member was removed while it was away. */
    CLEAR,
    /** Clients of the cluster lack what they need to reach it. */
    CLIENTS,
    /** Others have removed a voter. */
    HELD,
    /** No member has raised an alarm. */
    ALARM,
    /** The cluster is to have fewer voters. */
    SHRINK,
    /** Voters are missing, and this machine can become one. */
    JOIN,
    /** A voter of another machine is lost. */
    REMOVE,
    /** A voter is not healthy. */
    HEALTH,
    /** The cluster is to have a newer etcd, and this machine's member is the next. */
    UPGRADE,
    /** A certificate of this machine's member ends soon. */
    RENEW,
    /** Nothing is left to be done. */
    IDLE
}
