package io.kjadm.core.standalone;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.commands.ClusterLookup;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdConnector;

import java.net.URI;
import java.util.List;

/** What a machine with a standalone etcd has in place of an API server. */
final class NoKubernetes {

    /** Nothing but this machine tells of members. */
    static final ClusterLookup LOOKUP = new ClusterLookup() {
        @Override
        public List<URI> endpoints() {
            return List.of();
        }

        @Override
        public MembershipLeaseStatus lock() {
            throw new IllegalStateException("nothing is changed");
        }
    };

    private NoKubernetes() {}

    static EtcdClients clients(HostFiles files, EtcdConnector connector, Waiter waiter) {
        return new EtcdClients(
                files,
                new KubeClients(files, access -> {
                    throw new IllegalStateException("there is no API");
                }),
                connector,
                waiter);
    }
}
