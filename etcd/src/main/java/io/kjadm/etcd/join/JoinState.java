package io.kjadm.etcd.join;

/**
 * How far a member's join has come. Each state is on disk before the action that it announces, so
 * that whoever reads it knows what may have happened since.
 */
public enum JoinState {
    /** The node wants to join; nothing has been sent. */
    PREPARED,
    /** The add is being sent: a member with our URL that was not listed before is ours. */
    ADDING,
    /** Listed, with a known ID. */
    ADDED,
    /** Its manifest is being written. */
    MANIFEST,
    /** It has published its name and is followed until it has caught up. */
    STARTED,
    /**
     * A promotion is being sent, or was: it may vote at any moment, and nothing is rolled back
     * without looking.
     */
    PROMOTING,
    /** It votes. From here on nothing is ever rolled back. */
    PROMOTED,
    /** It was seen to be well. */
    DONE;

    /** Whether a learner of ours may be listed. */
    public boolean mayBeListed() {
        return this != PREPARED && this != DONE;
    }
}
