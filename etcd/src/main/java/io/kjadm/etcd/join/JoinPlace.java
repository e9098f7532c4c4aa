package io.kjadm.etcd.join;

/** What kind of machine a member joins from: advice names other commands and files on each. */
public enum JoinPlace {

    /** A control-plane node, whose kubelet runs etcd. */
    CONTROL_PLANE("kjadm reset", "/etc/kubernetes/tmp"),

    /** A machine without Kubernetes, with an etcd of its own. */
    OWN_ETCD("kjadm etcd reset", "/var/lib/kjadm/etcd");

    private final String reset;
    private final String notes;

    JoinPlace(String reset, String notes) {
        this.reset = reset;
        this.notes = notes;
    }

    /** The command that takes a member out and cleans up behind it. */
    String reset() {
        return reset;
    }

    /** The folder that has the note of a join under way. */
    String notes() {
        return notes;
    }
}
