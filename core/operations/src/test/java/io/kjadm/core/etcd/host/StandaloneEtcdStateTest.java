package io.kjadm.core.etcd.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.recover.NodeEvidence.StartedWith;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Later commands find an etcd of its own by its files alone. */
class StandaloneEtcdStateTest {

    /** As etcdadm writes it. */
    private static final String ENVIRONMENT = """
            # etcd
            ETCD_NAME=two
            ETCD_INITIAL_CLUSTER="one=https://10.0.0.1:2380,two=https://10.0.0.2:2380"
            ETCD_INITIAL_CLUSTER_STATE=existing
            ETCD_INITIAL_ADVERTISE_PEER_URLS=https://10.0.0.2:2380
            ETCD_ADVERTISE_CLIENT_URLS=https://10.0.0.2:2379
            ETCD_LISTEN_CLIENT_URLS=https://10.0.0.2:2379,https://127.0.0.1:2379
            ETCD_CERT_FILE=/srv/pki/server.crt
            ETCD_DATA_DIR=/srv/etcd
            GOMAXPROCS=4
            """;

    private final MemoryFiles files = new MemoryFiles();
    private final Machine machine = new Machine(
            files,
            new ScriptedRunner(),
            new MemoryRuntime(),
            url -> "",
            new VirtualWaiter(),
            new VirtualWaiter());

    @Test
    void nothingIsFoundWhereNothingIs() {
        assertEquals(Optional.empty(), StandaloneEtcdState.look(files, EtcdHostPaths.standard()));
        assertFalse(EtcdHost.on(machine).state().mayBeMember());
    }

    @Test
    void theEnvironmentTellsAll() {
        files.with("/etc/etcd/etcd.env", ENVIRONMENT).with("/srv/etcd/member/snap/db", "data");
        LocalEtcdState state = EtcdHost.on(machine).state();
        assertTrue(state.mayBeMember());
        assertFalse(state.setup().founder());
        assertTrue(state.data());
        assertEquals(Optional.of("two"), state.name());
        assertEquals(Set.of(URI.create("https://10.0.0.2:2380")), state.peerUrls());
        assertEquals(Set.of(URI.create("https://127.0.0.1:2379")), state.localClientUrls());
        assertEquals(
                Set.of(
                        URI.create("https://10.0.0.2:2379"),
                        URI.create("https://127.0.0.1:2379"),
                        URI.create("https://10.0.0.1:2379")),
                state.clientUrls());
        assertEquals(Path.of("/srv/etcd"), state.dataDir());
        assertEquals(Path.of("/srv/pki"), state.certificatesDir());
    }

    @Test
    void aStaticPodComesFirst() {
        files.with("/etc/etcd/etcd.env", ENVIRONMENT)
                .with("/etc/kubernetes/manifests/etcd.yaml", "kind: Pod");
        assertFalse(EtcdHost.on(machine).state().name().isPresent());
    }

    @Test
    void aManifestThatARestoreKeepsTellsOfTheMember() {
        files.with("/etc/kubernetes/tmp/kjadm-restore/etcd.yaml", """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: etcd
                spec:
                  containers:
                  - name: etcd
                    command:
                    - etcd
                    - --name=cp-1
                    - --initial-cluster=cp-1=https://10.0.0.1:2380,cp-2=https://10.0.0.2:2380
                    - --listen-metrics-urls=http://10.0.0.1:2381
                  volumes:
                  - hostPath:
                      path: /var/lib/etcd
                    name: etcd-data
                """);
        EtcdHost host = EtcdHost.on(machine);
        assertInstanceOf(StaticPodEtcd.class, host);
        assertEquals(Optional.of("cp-1"), host.state().name());
        assertEquals(
                List.of("cp-1", "cp-2"),
                host.startedWith().stream().map(StartedWith::name).toList());
        assertEquals(URI.create("http://10.0.0.1:2381/metrics"), host.metrics());
    }

    @Test
    void theCertificatesAreFoundInTheDirectoryItself() {
        Path directory = Path.of("/etc/etcd/pki");
        assertEquals(
                directory.resolve("etcd/ca.crt"),
                EtcdCertificateFiles.in(files, directory).ca().certificate());
        files.with("/etc/etcd/pki/etcdctl-etcd-client.crt", "PEM");
        assertEquals(
                directory.resolve("ca.crt"),
                EtcdCertificateFiles.in(files, directory).ca().certificate());
        assertEquals(
                directory.resolve("peer.key"),
                EtcdCertificateFiles.in(files, directory).peer().key());
    }
}
