package io.kjadm.core.etcd.leave;

import io.kjadm.etcd.Problem;

/** What became of this node's etcd member; it decides what may happen to its data. */
public sealed interface EtcdOutcome {

    /** This node has no member, nor data of one. */
    record Absent() implements EtcdOutcome {}

    /**
     * The member is out of the cluster (or the cluster ends with it) and stopped, and its data is
     * moved aside.
     */
    record Gone() implements EtcdOutcome {}

    /** The member may still be counted on, or may still run: its data was kept. */
    record Kept(Problem problem) implements EtcdOutcome {}
}
