package io.kjadm.core.journal;

/** What the replacement of an etcd member is at, or was when it was killed. */
public enum ReplaceStage {

    /** The old member leaves, or has left. */
    DEPARTURE,

    /** The new member is added, started and promoted; how far is noted as that of a join. */
    ARRIVAL
}
