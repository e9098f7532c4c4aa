package io.kjadm.core.restore;

import io.kjadm.etcd.ProblemReason;

/** Why no new cluster is made of a snapshot or of a survivor's data. */
public enum RestoreReason implements ProblemReason {
    /** Members of the old cluster run. */
    OTHERS_RUN,
    /** The old cluster had a quorum a moment ago. */
    HAD_QUORUM,
    /** Members of the old cluster may run again, and were not declared lost. */
    NOT_DECLARED_LOST,
    /** Another member may hold more. */
    LOSES_DATA,
    /** The data are not on this machine. */
    NO_DATA_HERE,
    /** Another program has set the machine up again since the restore was interrupted. */
    SET_UP_SINCE
}
