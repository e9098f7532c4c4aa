package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.SimulatedCluster;

import java.nio.file.Path;
import java.util.List;

/** A machine with a member of a standalone etcd that it leaves. */
abstract class EtcdResetLab {

    static final String STOP = "systemctl stop etcd";
    static final String DISABLE = "systemctl disable etcd";

    static final EtcdReset.Options PLAIN = new EtcdReset.Options(false, false, false);

    final MemoryFiles files = new MemoryFiles();
    final VirtualWaiter waiter = new VirtualWaiter();
    final RecordingReporter out = new RecordingReporter();
    final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl daemon-reload", "")
            .answering(DISABLE, "")
            .answering(STOP, "")
            .answering("systemctl show --property=LoadState etcd", "LoadState=loaded\n")
            .answering("systemctl is-active etcd", new Output(3, "inactive\n", ""));
    MembershipLock lock = MembershipLock.none();
    SimulatedCluster cluster;

    void member(int voters) {
        cluster = SimulatedCluster.ofVoters(voters);
        cluster.local("cp-1");
        files.with("/etc/etcd/etcd.env", """
                        ETCD_NAME=cp-1
                        ETCD_INITIAL_CLUSTER_STATE=new
                        ETCD_INITIAL_ADVERTISE_PEER_URLS=https://cp-1:2380
                        ETCD_ADVERTISE_CLIENT_URLS=http://cp-1:2379
                        ETCD_LISTEN_CLIENT_URLS=http://cp-1:2379,http://127.0.0.1:2379
                        ETCD_CERT_FILE=/etc/etcd/pki/server.crt
                        ETCD_DATA_DIR=/var/lib/etcd
                        """)
                .with("/etc/systemd/system/etcd.service", "[Unit]")
                .with("/etc/etcd/pki/ca.crt", "ca")
                .with("/etc/etcd/pki/ca.key", "key")
                .with("/etc/etcd/pki/server.crt", "server")
                .with("/etc/etcd/pki/server.key", "key")
                .with("/var/lib/etcd/member/snap/db", "data");
    }

    void reset(EtcdReset.Options options) {
        reset(options, Failpoints.none());
    }

    void reset(EtcdReset.Options options, Failpoints failpoints) {
        reset(options, failpoints, files, cluster);
    }

    void reset(EtcdReset.Options options, Failpoints failpoints, HostFiles disk, EtcdCluster etcd) {
        new EtcdReset(
                        new SystemdEtcd(
                                new Machine(
                                        disk,
                                        runner,
                                        new MemoryRuntime(),
                                        url -> "",
                                        waiter,
                                        waiter),
                                EtcdHostPaths.standard()),
                        NoKubernetes.clients(disk, access -> etcd, waiter),
                        lock,
                        options,
                        failpoints,
                        out)
                .run();
    }

    void assertGone() {
        assertFalse(cluster.members().stream().anyMatch(member -> member.name().equals("cp-1")));
        assertFalse(files.exists(Path.of("/var/lib/etcd/member")));
        assertFalse(files.exists(Path.of("/etc/etcd/etcd.env")));
        assertFalse(files.exists(Path.of("/etc/etcd/pki/server.key")));
        assertEquals(List.of(), files.list(Path.of("/var/lib/kjadm/etcd")));
        assertEquals(
                1,
                files.list(Path.of("/var/lib")).stream()
                        .filter(path -> path.toString().startsWith("/var/lib/etcd.reset-"))
                        .count(),
                "its data is kept, once");
    }
}
