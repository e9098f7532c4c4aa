package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.manifests.StandaloneEtcd.Directories;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What clients of a standalone etcd get: etcdctl on the machine, and the file for API servers. */
class EtcdctlPhaseTest {

    private static final Path DIRECTORY = Path.of("/etc/etcd/pki");
    private static final EtcdHostPaths PATHS = EtcdHostPaths.standard();
    private static final MemberSettings SETTINGS = new MemberSettings(
            "cp-1",
            EtcdVersion.parse("3.6.8"),
            InetAddress.ofLiteral("10.0.0.1"),
            new Directories(Path.of("/var/lib/etcd"), DIRECTORY, Path.of("/opt/bin")),
            List.of(),
            List.of());

    private final MemoryFiles files = new MemoryFiles();
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);

    EtcdctlPhaseTest() {
        files.with("/etc/etcd/etcd.env", """
                ETCD_NAME=cp-1
                ETCD_ADVERTISE_CLIENT_URLS=https://10.0.0.1:2379
                ETCD_LISTEN_CLIENT_URLS=https://10.0.0.1:2379,https://127.0.0.1:2379
                ETCD_CERT_FILE=/etc/etcd/pki/server.crt
                """);
        EtcdCertificates made = new EtcdCertificates(
                files, KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), waiter.now(), out);
        made.provide(SETTINGS, made.foundAuthority(DIRECTORY));
    }

    private void run() {
        Machine machine = new Machine(
                files, new ScriptedRunner(), new MemoryRuntime(), url -> "", waiter, waiter);
        EtcdClients clients = NoKubernetes.clients(files, access -> cluster, waiter);
        EtcdWorkflows.etcdctl(
                        new StandalonePorts(machine, clients, null, null, null, Failpoints.none()))
                .run(
                        new EtcdRun(
                                new MemberRecord(SETTINGS, true, false, "t"),
                                PATHS,
                                null,
                                Optional.empty(),
                                false,
                                Optional.empty()),
                        out);
    }

    @Test
    void apiServersGetTheUrlsOfAllVotersItsOwnFirst() {
        run();
        assertEquals(
                List.of(
                        URI.create("https://10.0.0.1:2379"),
                        URI.create("https://cp-1:2379"),
                        URI.create("https://cp-2:2379"),
                        URI.create("https://cp-3:2379")),
                ExternalEtcdFile.read(files, PATHS.externalEtcd()).endpoints());
    }

    @Test
    void withoutTheirKeyTheyGetNothing() {
        files.delete(DIRECTORY.resolve("apiserver-etcd-client.key"));
        assertThrows(HostException.class, this::run);
        assertFalse(files.exists(PATHS.externalEtcd()));
    }
}
