package io.kjadm.etcd.join;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;

/** What one look at the cluster showed. */
public sealed interface ClusterView {

    /** The member list, and what each member said. */
    record Seen(EtcdHealth health) implements ClusterView {}

    /**
     * The member list could not be read.
     *
     * @param text where it was asked for and what came back
     */
    record Unreadable(ErrorClass errorClass, String text) implements ClusterView {}

    static ClusterView look(EtcdCluster cluster) {
        try {
            return new Seen(EtcdHealth.ask(cluster));
        } catch (EtcdCallException e) {
            return new Unreadable(e.errorClass(), e.getMessage());
        }
    }
}
