package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.trust.CertificateAuthority;
import io.kjadm.e2e.trust.ConnectProxy;
import io.kjadm.e2e.trust.DiscoveryFile;
import io.kjadm.e2e.trust.FalseServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Whom a joining node trusts, what it shows to those it does not trust, and which way it goes to
 * the cluster. Node 2 joins and leaves again.
 */
@Order(3)
@NeedsLab
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class TrustIT {
    private static final String CLUSTER_INFO =
            "/api/v1/namespaces/kube-public/configmaps/cluster-info";
    private static final String FILE = "/root/discovery.conf";
    private static final String MACHINE_CA = "/usr/local/share/ca-certificates/false-ca.crt";
    private static final String MACHINE_CAS = "/etc/ssl/certs/ca-certificates.crt";
    /** Of those who may join; what a bootstrap token stands for, too. */
    private static final String JOINERS = "system:bootstrappers:kubeadm:default-node-token";
    /** A refusal takes seconds; an unreachable server would be asked for five minutes. */
    private static final Duration NO_WAITING = Duration.ofSeconds(60);

    private final CertificateAuthority otherCa = CertificateAuthority.made("false-ca");
    private Lab lab;
    private Cluster cluster;
    private Node joiner;
    private String caPem;
    private String balancer;
    private CertificateAuthority clusterCa;

    @BeforeAll
    void begin() {
        lab = Lab.withNodes(2);
        cluster = new Cluster(lab, Settings.standard());
        cluster.init(Tool.KJADM);
        joiner = lab.node(2);
        caPem = lab.node(1).read("/etc/kubernetes/pki/ca.crt");
        clusterCa = CertificateAuthority.of(caPem, lab.node(1).read("/etc/kubernetes/pki/ca.key"));
        balancer = joiner.shell("getent ahostsv4 %s | awk '{print $1; exit}'"
                .formatted(cluster.endpoint().replaceAll(":.*", "")));
    }

    @AfterAll
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    @Order(1)
    @Test
    void aDiscoveryFileWithoutCaIsRefused() {
        DiscoveryFile.write(
                joiner,
                FILE,
                cluster.endpoint(),
                Optional.empty(),
                DiscoveryFile.token(cluster.credentials().token()));
        refused(join("--discovery-file", FILE), "certificate-authority-data");
    }

    /** Neither is a server of an unknown CA shown anything. */
    @Order(1)
    @Test
    void aDiscoveryFileWithoutCaShowsNothingToAServerOfAnUnknownCa() {
        try (var server = falseServer()) {
            for (String user : credentials()) {
                DiscoveryFile.write(joiner, FILE, cluster.endpoint(), Optional.empty(), user);
                refused(join("--discovery-file", FILE), "is not trusted");
            }
            assertTrue(server.connections() > 0, "no connection came");
            assertEquals(List.of(), server.received());
        }
    }

    /** Though the machine trusts the CA of that server: the pin alone counts. */
    @Order(2)
    @Test
    void aServerOfAnotherCaGetsNoTokenWhereTheCaIsPinnedByItsHash() {
        try (var server = falseServerOfTrustedCa()) {
            var credentials = cluster.credentials();
            refused(
                    join(
                            cluster.endpoint(),
                            "--token",
                            credentials.token(),
                            "--discovery-token-ca-cert-hash",
                            credentials.caCertHash()),
                    "is not trusted");

            // it is asked for what anybody may read, which is then not believed
            assertFalse(server.received().isEmpty(), "no connection came");
            server.received().forEach(request -> {
                assertTrue(request.startsWith("GET " + CLUSTER_INFO + "\n"), request);
                assertFalse(request.toLowerCase(Locale.ROOT).contains("authorization"), request);
                Stream.of(credentials.token().split("\\."))
                        .forEach(part -> assertFalse(request.contains(part), request));
            });
        }
    }

    @Order(2)
    @Test
    void aServerOfAnotherCaGetsNothingWhereADiscoveryFilePinsTheCa() {
        try (var server = falseServerOfTrustedCa()) {
            for (String user : credentials()) {
                DiscoveryFile.write(joiner, FILE, cluster.endpoint(), Optional.of(caPem), user);
                refused(join("--discovery-file", FILE), "is not trusted");
            }
            assertTrue(server.connections() > 0, "no connection came");
            assertEquals(List.of(), server.received());
        }
    }

    /** The endpoint's name is one that only the proxy knows, so there is no other way. */
    @Order(3)
    @Test
    void whatIsAskedOfTheClusterGoesThroughTheProxy() {
        try (var proxy = proxy()) {
            var credentials = cluster.credentials();
            var words = List.of(
                    "kjadm",
                    "join",
                    "phase",
                    "preflight",
                    cluster.endpoint(),
                    "--token",
                    credentials.token(),
                    "--discovery-token-ca-cert-hash",
                    credentials.caCertHash(),
                    "--ignore-preflight-errors",
                    "SystemVerification,Swap");
            var hidden = Stream.concat(
                    Stream.of(
                            "unshare",
                            "-m",
                            "env",
                            "HTTPS_PROXY=" + proxy.url(),
                            "bash",
                            "-c",
                            """
                            grep -v control-plane /etc/hosts > /run/hosts
                            mount --bind /run/hosts /etc/hosts
                            exec "$@\"""",
                            "bash"),
                    words.stream());
            joiner.run(hidden.toArray(String[]::new));
            assertEquals(Set.of(cluster.endpoint()), Set.copyOf(proxy.targets()));

            proxy.clear();
            joiner.run(Stream.concat(
                            Stream.of(
                                    "env", "HTTPS_PROXY=" + proxy.url(), "NO_PROXY=control-plane"),
                            words.stream())
                    .toArray(String[]::new));
            assertEquals(List.of(), proxy.targets());
        }
    }

    /** By a discovery file whose client key is of the kind that openssl writes by now: PKCS#8. */
    @Order(4)
    @Test
    void aWorkerJoinsThroughAProxyWithAnEllipticKey() {
        var client = clusterCa.client(JOINERS, "joiner");
        assertTrue(client.keyPem().startsWith("-----BEGIN PRIVATE KEY-----"));
        assertEquals("EC", client.key().getAlgorithm());
        DiscoveryFile.write(
                joiner,
                FILE,
                cluster.endpoint(),
                Optional.of(caPem),
                DiscoveryFile.certificate(client));
        try (var proxy = proxy()) {
            cluster.tryJoin(
                            Tool.KJADM,
                            joiner,
                            List.of("HTTPS_PROXY=" + proxy.url()),
                            "--discovery-file",
                            FILE)
                    .orFail();
            assertTrue(
                    proxy.targets().contains(cluster.endpoint()),
                    () -> "through the proxy: " + proxy.targets());
        }
        cluster.awaitReady(lab.node(1), joiner);
        leave();
    }

    @Order(5)
    @Test
    void aWorkerJoinsWithACredentialPlugin() {
        var script = "/usr/local/bin/kjadm-e2e-credential";
        DiscoveryFile.write(
                joiner,
                FILE,
                cluster.endpoint(),
                Optional.of(caPem),
                DiscoveryFile.exec(
                        joiner,
                        script,
                        "{\"token\": \"%s\"}".formatted(cluster.credentials().token())));
        join("--discovery-file", FILE).orFail();
        assertTrue(joiner.read(script + ".log").contains("ExecCredential"));
        cluster.awaitReady(lab.node(1), joiner);
        leave();
    }

    @Order(5)
    @Test
    void aTokenIsMadeWithACredentialPlugin() {
        var first = lab.node(1);
        var admin = clusterCa.client("system:masters", "operator");
        DiscoveryFile.write(
                first,
                "/root/exec.conf",
                cluster.endpoint(),
                Optional.of(caPem),
                DiscoveryFile.exec(
                        first,
                        "/root/credential",
                        "{\"clientCertificateData\": \"%s\", \"clientKeyData\": \"%s\"}"
                                .formatted(
                                        admin.certificatePem().replace("\n", "\\n"),
                                        admin.keyPem().replace("\n", "\\n"))));
        var token = first.shell("kjadm token create --kubeconfig /root/exec.conf");
        assertTrue(
                first.shell("kjadm token list --kubeconfig /etc/kubernetes/admin.conf")
                        .contains(token),
                token);
    }

    /** By a token; and what is said to etcd goes its own way, as it does with kubeadm. */
    @Order(6)
    @Test
    void aControlPlaneNodeJoinsThroughAProxy() {
        try (var proxy = proxy()) {
            cluster.startJoin(Tool.KJADM, joiner, "HTTPS_PROXY=" + proxy.url())
                    .outcome()
                    .orFail();
            assertTrue(
                    proxy.targets().contains(cluster.endpoint()),
                    () -> "through the proxy: " + proxy.targets());
            assertEquals(
                    List.of(),
                    proxy.targets().stream()
                            .filter(target -> !target.endsWith(":6443"))
                            .toList());
            System.out.printf(
                    "[trust] %d connections went through the proxy%n",
                    proxy.targets().size());

            cluster.awaitReady(lab.node(1), joiner);
            cluster.awaitControlPlanePods(lab.node(1), joiner);
            cluster.assertVoters(lab.node(1), joiner);
            leave();
            cluster.assertVoters(lab.node(1));
        }
    }

    private Outcome join(String... words) {
        return cluster.tryJoin(Tool.KJADM, joiner, List.of(), words);
    }

    private void refused(Outcome outcome, String words) {
        assertNotEquals(0, outcome.status(), outcome::everything);
        assertTrue(outcome.stderr().contains(words), outcome::everything);
        assertTrue(outcome.took().compareTo(NO_WAITING) < 0, outcome::everything);
        assertFalse(joiner.exists("/etc/kubernetes/bootstrap-kubelet.conf"), outcome::everything);
        System.out.printf(
                "[trust] refused after %.1f s: %s%n",
                outcome.took().toMillis() / 1000.0,
                outcome.stderr()
                        .lines()
                        .filter(line -> line.startsWith("error"))
                        .findFirst()
                        .orElse(outcome.stderr()));
    }

    private void leave() {
        cluster.reset(Tool.KJADM, joiner);
        cluster.forget(joiner);
    }

    /** Each kind of credential that a kubeconfig may have, all of them valid in the cluster. */
    private List<String> credentials() {
        var token = cluster.credentials().token();
        return List.of(
                DiscoveryFile.token(token),
                DiscoveryFile.certificate(clusterCa.client(JOINERS, "joiner")),
                DiscoveryFile.exec(
                        joiner, "/root/credential", "{\"token\": \"%s\"}".formatted(token)));
    }

    /** Whatever the joiner says to the cluster's endpoint, this one hears. */
    private FalseServer falseServer() {
        return FalseServer.between(
                joiner,
                balancer,
                otherCa.server(List.of("control-plane")),
                lab.node(1)
                        .shell("curl -sfk https://%s%s"
                                .formatted(cluster.endpoint(), CLUSTER_INFO)));
    }

    /**
     * The same, and the machine trusts its CA; by another program it is shown that this is so, and
     * that a token would have been noticed.
     */
    private FalseServer falseServerOfTrustedCa() {
        joiner.write(MACHINE_CA, otherCa.certificatePem());
        joiner.run("chmod", "644", MACHINE_CA);
        joiner.run("update-ca-certificates");
        joiner.shell("grep -q \"$(sed -n 2p %s)\" %s".formatted(MACHINE_CA, MACHINE_CAS));
        try (var shown = falseServer()) {
            joiner.shell("curl -sf -H 'Authorization: Bearer shown' https://%s/shown"
                    .formatted(cluster.endpoint()));
            assertEquals(1, shown.received().size());
            assertTrue(
                    shown.received().getFirst().contains("Bearer shown"),
                    shown.received()::toString);
        }
        return falseServer();
    }

    private ConnectProxy proxy() {
        return ConnectProxy.near(joiner, Map.of("control-plane", balancer));
    }
}
