package io.kjadm.cli.etcd;

import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.version.EtcdInstallation;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.core.standalone.EtcdPrograms;
import io.kjadm.core.standalone.EtcdRunLoader;
import io.kjadm.core.standalone.EtcdService;
import io.kjadm.core.standalone.OtherMembers;
import io.kjadm.core.standalone.RestoredEtcdService;
import io.kjadm.core.standalone.StandalonePorts;
import io.kjadm.etcd.JetcdQueue;
import io.kjadm.pki.KeyPairPool;

/** What the commands about a standalone etcd work with, wired. */
record StandaloneEtcd(Composition composition) {

    EtcdRunLoader loader() {
        return new EtcdRunLoader(
                composition.ports().observed(),
                new MachineFacts(),
                EtcdHostPaths.standard(),
                System.getenv());
    }

    StandalonePorts ports(KeyPairPool keys) {
        Ports ports = composition.ports();
        return new StandalonePorts(
                ports.machine(),
                clients(),
                programs(),
                keys,
                new StandalonePorts.Seen(
                        composition.preflightHost(KubernetesPaths.standard()),
                        new MachineFacts(),
                        ports.probes()),
                Failpoints.ofProcess());
    }

    EtcdClients clients() {
        Ports ports = composition.ports();
        return new EtcdClients(
                ports.files(), composition.clients(), ports.servers().etcd(), ports.observer());
    }

    EtcdPrograms programs() {
        return composition.ports().servers().programs();
    }

    /** This machine's etcd, as what gets another version. */
    EtcdInstallation installation(CommandFlags flags, SystemdEtcd etcd) {
        return new EtcdService(
                etcd,
                clients(),
                programs(),
                lock(),
                loader().options(flags, true),
                Failpoints.ofProcess(),
                composition.out());
    }

    /** This machine's etcd, as what gets other data. */
    RestoredEtcd restored(CommandFlags flags, SystemdEtcd etcd) {
        return new RestoredEtcdService(
                etcd, programs(), loader().options(flags, true), composition.out());
    }

    /** Keeps other machines from changing this etcd at the same time; a dry run changes nothing. */
    MembershipLock lock() {
        Ports ports = composition.ports();
        EtcdClients clients = clients();
        return ports.servers()
                .locked()
                .apply(composition
                        .cluster()
                        .locks()
                        .inEtcd(
                                () -> JetcdQueue.open(OtherMembers.known(
                                        clients,
                                        composition.etcdHost().state(),
                                        composition.out())),
                                new HostInfo(ports.observed()).hostname(),
                                composition.out()));
    }
}
