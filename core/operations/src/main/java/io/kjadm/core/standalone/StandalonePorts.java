package io.kjadm.core.standalone;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.net.HostFacts;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.pki.KeyPairPool;

import java.net.URI;
import java.util.Collection;

/**
 * Through what the workflows reach the world.
 *
 * @param programs sees to etcd's programs
 * @param seen     what checks look at
 */
public record StandalonePorts(
        Machine machine,
        EtcdClients clients,
        EtcdPrograms programs,
        KeyPairPool keys,
        Seen seen,
        Failpoints failpoints) {

    /**
     * What checks look at, real in a dry run too.
     *
     * @param probes of what a join meets
     */
    public record Seen(PreflightHost host, HostFacts facts, JoinProbes probes) {}

    /** The etcd that a run makes. */
    SystemdEtcd etcd(EtcdRun run) {
        return new SystemdEtcd(machine, run.paths());
    }

    EtcdCluster connect(EtcdRun run, Collection<URI> endpoints) {
        return clients.connect(access(run, endpoints));
    }

    EtcdAccess access(EtcdRun run, Collection<URI> endpoints) {
        return clients.to(endpoints, run.settings().directories().certificates());
    }
}
