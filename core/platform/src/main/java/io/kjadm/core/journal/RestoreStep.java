package io.kjadm.core.journal;

/** The last step of a restore that is complete; in this order. */
public enum RestoreStep {
    /** Nothing was changed but the journal. */
    BEGUN,
    /** The snapshot lies beside the data, and is whole. */
    FETCHED,
    /** The control plane of this node does not run. */
    STOPPED,
    /** The previous data are out of the way. */
    SET_ASIDE,
    /** The data are those of the snapshot. */
    REBUILT,
    /** etcd serves them. */
    SERVING
}
