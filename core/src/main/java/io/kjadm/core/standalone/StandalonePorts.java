package io.kjadm.core.standalone;

import io.kjadm.core.config.HostFacts;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.node.Machine;
import io.kjadm.core.preflight.PreflightHost;
import io.kjadm.pki.KeyPairPool;

/**
 * Through what the workflows reach the world.
 *
 * @param programs sees to etcd's programs
 * @param host     what preflight looks at, real in a dry run too
 */
public record StandalonePorts(
        Machine machine,
        EtcdClients clients,
        EtcdPrograms programs,
        KeyPairPool keys,
        PreflightHost host,
        HostFacts facts,
        JoinProbes probes,
        Failpoints failpoints) {

    EtcdMachine etcdMachine() {
        return new EtcdMachine(machine, clients);
    }

    EtcdPreflightPhase preflight() {
        return new EtcdPreflightPhase(host, facts, probes, etcdMachine());
    }

    EtcdCertsPhase certs() {
        return new EtcdCertsPhase(machine.files(), keys, machine.observer()::now);
    }
}
