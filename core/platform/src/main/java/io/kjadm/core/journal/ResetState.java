package io.kjadm.core.journal;

/**
 * How far a reset has come with this node's etcd. Each state is on disk before
 * the action that it announces, so that whoever reads it knows what may have happened since.
 */
public enum ResetState {
    /** The member may leave; the manifests of what uses it are being taken out. */
    RETIRING,
    /** A snapshot of the only voter is being taken. */
    SNAPSHOT,
    /** Leadership is being handed over. */
    HANDOVER,
    /** The removal is being sent, or was. */
    REMOVING,
    /** The cluster does not list the member, or ends with it; its etcd is being stopped. */
    REMOVED,
    /** Its etcd has stopped for good; its data is being moved aside. */
    STOPPED,
    /** Nothing of etcd is left but what was moved aside; the rest of the node is being cleaned. */
    CLEANING;

    /** Whether the cluster can do without the member, so that nobody has to be asked any more. */
    public boolean left() {
        return compareTo(REMOVED) >= 0;
    }

    /**
     * Whether a control-plane node was set up again since, by kubeadm too: the manifests are in place
     * that were taken out before the state was noted. The IDs of a member and its cluster prove
     * nothing there: the first member of a cluster has the same ones each time that it begins at the
     * same address.
     *
     * @param apiServer whether the API server's manifest is in place
     * @param etcd      whether etcd's is
     */
    public boolean isOvertaken(boolean apiServer, boolean etcd) {
        return etcd && (compareTo(STOPPED) >= 0 || this != RETIRING && apiServer);
    }
}
