package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Looking after the certificates of a control-plane node. */
@NeedsLab
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class CertsIT {
    private static final Duration SETTLING = Duration.ofSeconds(120);
    private static final String PKI = "/etc/kubernetes/pki/";
    private static final String CONFIG = "/root/init.yaml";

    private Lab lab;
    private Cluster cluster;
    private Node node;

    @BeforeAll
    void begin() {
        lab = Lab.withNodes(1);
        cluster = new Cluster(lab, Settings.standard());
        cluster.init(Tool.KJADM);
        node = lab.node(1);
    }

    @AfterAll
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    @Order(1)
    @Test
    void theEndsOfAllCertificatesAreShown() {
        var text = node.run("kjadm", "certs", "check-expiration").stdout();
        Stream.of("apiserver", "etcd-peer", "admin.conf", "kubelet-client-current.pem")
                .forEach(name -> assertTrue(
                        text.lines()
                                .anyMatch(line -> line.matches(name + " .* 364d +ca .*")
                                        || line.matches(name + " .* 364d +etcd-ca .*")),
                        text));

        var object = json("certs", "check-expiration", "--all-nodes", "-o", "json");
        assertEquals("CertificateExpirationInfo", object.path("kind").asText());
        assertEquals(12, object.path("certificates").size(), object::toPrettyString);
        assertEquals(3, object.path("certificateAuthorities").size());
        assertEquals(
                List.of(serial(PKI + "apiserver.crt"), serial(PKI + "etcd/peer.crt")),
                stream(object.path("servers"))
                        .map(server -> server.path("serialNumber").asText())
                        .toList());
    }

    @Order(1)
    @Test
    void keysAndRequestsAreMadeForCasElsewhere() {
        node.run(
                "kjadm",
                "certs",
                "generate-csr",
                "--config",
                CONFIG,
                "--cert-dir",
                "/root/csr/pki",
                "--kubeconfig-dir",
                "/root/csr");
        assertEquals("12", node.shell("find /root/csr -name '*.csr' | wc -l"));
        assertEquals("7", node.shell("find /root/csr -name '*.key' -perm 600 | wc -l"));
        assertEquals("5", node.shell("find /root/csr -name '*.conf' -perm 600 | wc -l"));
    }

    @Order(1)
    @Test
    void anotherUserMayAskTheCluster() {
        node.shell(
                "umask 077; kjadm kubeconfig user --config %s --client-name alice".formatted(CONFIG)
                        + " --org kubeadm:cluster-admins > /root/alice.conf");
        var nodes = node.run("kubectl", "--kubeconfig", "/root/alice.conf", "get", "nodes");
        assertTrue(nodes.stdout().contains(node.name()), nodes::everything);
    }

    @Order(2)
    @Test
    void allCertificatesAreRenewedWhileTheClusterRuns() {
        var before = serial(PKI + "apiserver.crt");
        var renewed = node.run("kjadm", "certs", "renew", "all").stdout();
        assertEquals(
                11, renewed.lines().filter(line -> line.endsWith(" renewed")).count(), renewed);
        assertNotEquals(before, serial(PKI + "apiserver.crt"));
        assertEquals("", node.shell("find /etc/kubernetes -name '*.renewed'"));
        cluster.awaitReady(node);
    }

    @Order(3)
    @Test
    void aRestartedApiServerServesTheNewSerialNumber() throws Exception {
        var told = node.run("timeout", "300", "kjadm", "certs", "renew", "apiserver", "--restart")
                .stdout();
        var serial = serial(PKI + "apiserver.crt");
        assertTrue(
                told.contains("kube-apiserver serves the certificate with serial number " + serial),
                told);
        assertEquals(serial, served());
    }

    /** With a term of one second they have all expired as soon as they are made. */
    @Tag("long")
    @Order(4)
    @Test
    void expiredCertificatesAreRenewedThoughNothingAnswers() throws Exception {
        node.write(
                "/root/short.yaml",
                node.read(CONFIG)
                        .replace(
                                "kubernetesVersion:",
                                "certificateValidityPeriod: 1s\nkubernetesVersion:"));
        node.run("kjadm", "certs", "renew", "all", "--config", "/root/short.yaml");
        Eventually.passes(SETTLING, () -> assertEquals(11, expired()));
        endProcesses();
        assertEquals(1, node.exec("kjadm", "token", "list").status());

        var told = renewAllAndRestart();
        assertTrue(
                told.everything().contains("Falling back to default configuration"),
                told::everything);
        assertEquals(0, expired());
        cluster.awaitReady(node);
        cluster.assertVoters(node);
        Eventually.passes(SETTLING, () -> node.run("kjadm", "token", "list"));
        assertEquals(serial(PKI + "apiserver.crt"), served());
    }

    private Outcome renewAllAndRestart() {
        return node.run("timeout", "300", "kjadm", "certs", "renew", "all", "--restart");
    }

    /** The kubelet starts them again, with the certificates that are there by then. */
    private void endProcesses() {
        node.shell("pkill -9 '^(etcd|kube-)'");
    }

    private long expired() {
        return stream(json("certs", "check-expiration", "-o", "json").path("certificates"))
                .filter(one -> one.path("residualTime").asLong() < 0)
                .count();
    }

    private JsonNode json(String... words) {
        return parsed(
                node.run(Stream.concat(Stream.of("kjadm"), Stream.of(words)).toArray(String[]::new))
                        .stdout());
    }

    private static JsonNode parsed(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }

    private static Stream<JsonNode> stream(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }

    private String serial(String file) {
        return hex(certificate(node.read(file)));
    }

    private static X509Certificate certificate(String pem) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(
                            new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(pem, e);
        }
    }

    private static String hex(X509Certificate certificate) {
        return certificate.getSerialNumber().toString(16);
    }

    /** The serial number that the API server shows to somebody who verifies it by the CA. */
    private String served() throws GeneralSecurityException, IOException {
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("ca", certificate(node.read(PKI + "ca.crt")));
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        try (var socket =
                (SSLSocket) context.getSocketFactory().createSocket(node.address(), 6443)) {
            socket.startHandshake();
            return hex((X509Certificate) socket.getSession().getPeerCertificates()[0]);
        }
    }
}
