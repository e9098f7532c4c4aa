package io.kjadm.core.upgrade;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.HostException;
import io.kjadm.core.value.Timeouts;

import java.nio.file.Path;

/**
 * Where etcd's version is changed: this node, and its cluster.
 *
 * @param stored     how the cluster is to be
 * @param kubeconfig to talk to the cluster with
 */
public record EtcdPlace(
        StoredConfiguration stored, InstalledNode node, Path kubeconfig, Timeouts timeouts) {

    /** @throws HostException if this node has no member of a stacked etcd */
    public EtcdPlace {
        if (!(stored.cluster().etcd() instanceof LocalEtcd)) {
            throw new HostException(
                    "this cluster uses an external etcd",
                    "its members are not managed by this program",
                    "change its version where it runs");
        }
    }
}
