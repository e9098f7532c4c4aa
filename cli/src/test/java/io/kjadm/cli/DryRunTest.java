package io.kjadm.cli;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.ProgramName;
import io.kjadm.manifests.KubernetesReleases;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Dry runs of init and join ask no server: one that listens sees no connection. */
class DryRunTest {

    private static final String KEY = "ab".repeat(32);

    @TempDir
    Path folder;

    private final AtomicInteger calls = new AtomicInteger();
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    server.accept().close();
                    calls.incrementAndGet();
                }
            } catch (IOException ended) {
                // the test is over
            }
        });
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private String endpoint() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    private static Run run(ProgramName name, String... words) {
        return TestConsole.runAs(name, words);
    }

    private List<String> join(String... more) {
        List<String> words = new ArrayList<>(List.of(
                "join",
                endpoint(),
                "--dry-run",
                "--ignore-preflight-errors=all",
                "--cri-socket=unix:///nowhere.sock",
                "--node-name=node-1",
                "--token",
                "abcdef.abcdef0123456789",
                "--discovery-token-ca-cert-hash",
                "sha256:" + "0".repeat(64)));
        words.addAll(List.of(more));
        return words;
    }

    /** kinder calls it so where there is no cluster at all. */
    @ParameterizedTest
    @EnumSource
    void aWorkerJoinsAClusterThatIsAssumed(ProgramName name) {
        Run run = run(name, join().toArray(String[]::new));
        assertEquals(0, run.status(), run.all());
        assertHasLine("This node has joined the cluster:", run.out());
        assertHasLine(
                "[dryrun] Would write file \"/var/lib/kubelet/config.yaml\" with content:",
                run.out());
        assertFalse(run.all().contains("0123456789"), "the token is not shown");
        assertEquals(0, calls.get(), "connections");
    }

    @Test
    void aControlPlaneNodeJoinsItToo() {
        Run run = run(
                ProgramName.KUBEADM,
                join(
                                "--control-plane",
                                "--certificate-key=" + KEY,
                                "--apiserver-advertise-address=192.0.2.7")
                        .toArray(String[]::new));
        assertEquals(0, run.status(), run.all());
        assertHasLine(
                "[dryrun] Would add etcd member https://192.0.2.7:2380 as a learner, and promote it once it has caught up",
                run.out());
        assertHasLine(
                "[dryrun] Would write file \"/etc/kubernetes/manifests/etcd.yaml\" with content:",
                run.out());
        assertHasLine(
                "[dryrun] Would rename \"/etc/kubernetes/manifests/.kube-apiserver.yaml.held\" to \"/etc/kubernetes/manifests/kube-apiserver.yaml\"",
                run.out());
        assertHasLine("[dryrun] Would patch Node node-1:", run.out());
        assertFalse(run.all().contains(KEY), "the key is not shown");
        assertEquals(0, calls.get(), "connections");
    }

    @Test
    void aDiscoveryFileIsNotDownloaded() {
        Run run = run(
                ProgramName.KJADM,
                "join",
                "--dry-run",
                "--ignore-preflight-errors=all",
                "--cri-socket=unix:///nowhere.sock",
                "--node-name=node-1",
                "--discovery-file=https://%s/conf".formatted(endpoint()),
                "--tls-bootstrap-token=abcdef.abcdef0123456789");
        assertEquals(0, run.status(), run.all());
        assertEquals(0, calls.get(), "connections");
    }

    @Test
    void aPinThatIsNoneIsRefused() {
        Run run = run(
                ProgramName.KJADM,
                "join",
                endpoint(),
                "--dry-run",
                "--ignore-preflight-errors=all",
                "--cri-socket=unix:///nowhere.sock",
                "--token=abcdef.abcdef0123456789",
                "--discovery-token-ca-cert-hash=md5:abc");
        assertEquals(1, run.status());
        assertEquals(
                "error execution phase preflight: a CA certificate hash cannot be used: the public key pin \"md5:abc\" does not start with sha256:",
                run.error(),
                run.all());
    }

    @Test
    void theClusterIsAskedWhereThatIsWanted() {
        Run run = run(
                ProgramName.KJADM,
                "join",
                endpoint(),
                "--ask-cluster",
                "--token=abcdef.0123456789abcdef",
                "--discovery-token-unsafe-skip-ca-verification");
        assertEquals(1, run.status());
        assertEquals(
                "--ask-cluster can only be used with --dry-run: a join asks the cluster in any case",
                run.error(),
                run.all());
        assertEquals(0, calls.get(), "connections");
    }

    /** As in kubeadm's own tests, nothing but preflight is forgiven; here a server is in the way. */
    @Test
    void initAsksNeitherItsEndpointNorForAVersion() throws IOException {
        Path config = Files.writeString(
                folder.resolve("init.yaml"), """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint:
                  advertiseAddress: 192.0.2.7
                nodeRegistration:
                  name: node-1
                  criSocket: unix:///nowhere.sock
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: stable-1
                controlPlaneEndpoint: %s
                etcd:
                  external:
                    endpoints: [http://%s]
                """.formatted(endpoint(), endpoint()));
        Run run = run(
                ProgramName.KUBEADM,
                "init",
                "--dry-run",
                "--upload-certs",
                "--ignore-preflight-errors=all",
                "--config=" + config);
        assertEquals(0, run.status(), run.all());
        assertHasLine(
                "[init] Using Kubernetes version: "
                        + KubernetesReleases.KNOWN.newest().newestRelease(),
                run.out());
        assertEquals(
                2,
                run.outLines().stream()
                        .map(String::strip)
                        .filter(line -> line.startsWith("kubeadm join " + endpoint() + " "))
                        .count(),
                run.all());
        assertHasLine(
                "W the version behind stable-1 could not be read from https://dl.k8s.io/release/stable-1.txt: a dry run asks no server",
                run.err());
        assertHasLine("[dryrun] Would look up the address of host \"node-1\"", run.out());
        assertEquals(0, calls.get(), "connections");
    }
}
