package io.kjadm.etcd.join;

/** What kind of machine a member joins from: advice names other commands and files on each. */
public enum JoinPlace {

    /** A control-plane node, whose kubelet runs etcd. */
    CONTROL_PLANE("run 'kjadm reset' on this node", "/etc/kubernetes/tmp"),

    /** A machine without Kubernetes, with an etcd of its own. */
    OWN_ETCD("run 'kjadm etcd reset' on this node", "/var/lib/kjadm/etcd"),

    /**
     * Another machine than the one where the command runs: somebody else looks after its etcd, and
     * this node has no part in it.
     */
    ANOTHER_MACHINE(
            "stop its etcd there and empty its data directory",
            "/etc/kubernetes/tmp/kjadm-etcd-replace");

    private final String cleanUp;
    private final String notes;

    JoinPlace(String cleanUp, String notes) {
        this.cleanUp = cleanUp;
        this.notes = notes;
    }

    /** What takes a member out and cleans up behind it, as a clause. */
    String cleanUp() {
        return cleanUp;
    }

    /** The folder that has the note of a join under way. */
    String notes() {
        return notes;
    }

    /** Whether the data directory of the member is looked at, and not only believed to be there. */
    boolean seesData() {
        return this != ANOTHER_MACHINE;
    }
}
