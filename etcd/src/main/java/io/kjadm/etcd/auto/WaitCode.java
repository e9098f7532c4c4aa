package io.kjadm.etcd.auto;

import io.kjadm.etcd.ProblemReason;

/**
 * What a machine waits for, or why it stops. The names are part of the interface: programs read them
 * in {@code etcd auto status -o json}.
 */
public enum WaitCode implements ProblemReason {
    /** The store holds no cluster file. */
    SEED,
    /** The token belongs to another cluster file. */
    TOKEN,
    /** The store does not respond. */
    STORE,
    /** What the store holds is less than, or differs from, what this machine has read before. */
    UNSAFE_STORE,
    /** Another machine has the ID of this one. */
    CLONE,
    /** Another kjadm changes this machine. */
    LOCAL,
    /** Machines with lower IDs go first. */
    TURN,
    /** A change of members is open, of another machine. */
    CHANGE,
    /** The automatic mode is paused. */
    PAUSED,
    /** etcd's data directory is on another disk, or holds data that are not of this cluster. */
    DISK,
    /** The data of this machine's member are lost. */
    LOST,
    /** etcd ends with an error each time that systemd starts it. */
    UNIT,
    /** etcd was set up for an address that this machine does not have. */
    ADDRESS,
    /** A member has raised an alarm. */
    ALARM,
    /** etcd was stopped by a person. */
    STOPPED,
    /** Not enough machines are ready. */
    MACHINES,
    /** The machine that founds the cluster has not finished. */
    FOUNDER,
    /** The members respond with another cluster ID. */
    SPLIT,
    /** Others have changed the members. */
    FOREIGN,
    /** A voter is down, and not long enough to remove it. */
    AGE,
    /** As many voters were removed as may be in a day. */
    PACE,
    /** A voter is to be removed, and no snapshot can be saved before. */
    BACKUP,
    /** etcd has no quorum. */
    QUORUM,
    /** etcd has had no quorum for some time: an operator may say that it is lost for good. */
    RESTORE,
    /** A generation ends, and its members are not all stopped. */
    FENCE,
    /** A member is a learner that the log does not know. */
    LEARNER,
    /** A voter is down, and no other machine can take its place. */
    SPARE,
    /** A voter is not healthy. */
    HEALTHY,
    /** The clock of this machine differs from the store's. */
    CLOCK,
    /** This machine is not ready to take a member. */
    READY,
    /** The last step failed; it is tried again later. */
    FAILED;

    /** As it is shown: {@code WAIT_SEED}, {@code UNSAFE_STORE}. */
    @Override
    public String text() {
        return this == UNSAFE_STORE ? name() : "WAIT_" + name();
    }
}
