package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.pki.CertificateAuthority;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What else a kubeconfig says of its cluster than server and CA. */
class ClusterFieldsTest {

    private static final CertificateAuthority CA = LoopbackServer.authority("kubernetes");
    private static final String CONF = "/etc/some.conf";

    private final MemoryFiles files = new MemoryFiles().with("/etc/ca.crt", CA.certificatePem());
    private final List<String> warnings = new ArrayList<>();

    private String ask(LoopbackServer server, String cluster) {
        files.with(CONF, """
                current-context: a
                contexts: [{name: a, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "%s", %s}}]
                users: [{name: u, user: {token: t}}]
                """.formatted(server.uri(), cluster));
        try (KubeClients clients =
                new KubeClients(files, new Fabric8Connector(Map.of(), warnings::add))) {
            return clients.of(Path.of(CONF)).raw("/");
        }
    }

    private static LoopbackServer server(String... names) throws Exception {
        return LoopbackServer.tls(CA, names).answering("/", 200, "ok");
    }

    @Test
    void theServersOtherNameIsVerified() throws Exception {
        try (LoopbackServer server = server("api.example")) {
            assertEquals(
                    "ok",
                    ask(server, "certificate-authority: ca.crt, tls-server-name: api.example"));
            assertEquals(
                    Kind.UNTRUSTED,
                    assertThrows(
                                    KubeApiException.class,
                                    () -> ask(
                                            server,
                                            "certificate-authority: ca.crt, tls-server-name: b.example"))
                            .kind());
        }
    }

    @Test
    void theNameInTheUrlDoesNotCountBesides() throws Exception {
        try (LoopbackServer server = server()) {
            assertEquals(
                    Kind.UNTRUSTED,
                    assertThrows(
                                    KubeApiException.class,
                                    () -> ask(
                                            server,
                                            "certificate-authority: ca.crt, tls-server-name: api.example"))
                            .kind());
            assertEquals(
                    "ok", ask(server, "certificate-authority: ca.crt, tls-server-name: 127.0.0.1"));
        }
    }

    @Test
    void aNameThatIsNoneIsToldOf() throws Exception {
        try (LoopbackServer server = server()) {
            assertEquals(
                    "tls-server-name \"a b\" is neither a DNS name nor an IP address",
                    assertThrows(
                                    HostException.class,
                                    () -> ask(
                                            server,
                                            "certificate-authority: ca.crt, tls-server-name: a b"))
                            .why());
        }
    }

    @Test
    void anInsecureClusterIsWarnedOf() throws Exception {
        try (LoopbackServer server = server("elsewhere.example")) {
            assertEquals("ok", ask(server, "insecure-skip-tls-verify: true"));
            assertEquals(
                    List.of(
                            "%s is not verified, since the kubeconfig says insecure-skip-tls-verify: the connection can be intercepted and changed"
                                    .formatted(server.uri())),
                    warnings);
            assertThrows(
                    KubeApiException.class, () -> ask(server, "insecure-skip-tls-verify: false"));
        }
    }

    @Test
    void anInsecureClusterWithACaIsRefused() throws Exception {
        try (LoopbackServer server = server()) {
            HostException refused = assertThrows(
                    HostException.class,
                    () -> ask(
                            server,
                            "certificate-authority: ca.crt, insecure-skip-tls-verify: true"));
            assertEquals(
                    "it names a CA, and insecure-skip-tls-verify says not to use any",
                    refused.why());
            assertEquals(List.of(), server.requests());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":::",
                "https://a b/",
                "https://127.0.0.1:0",
                "https://h:70000",
                "",
                "ftp://h",
                "https://",
                "https://:6443",
                "unix:///run/x",
                "-"
            })
    void aServerThatIsNoAddressIsToldOf(String server) {
        files.with(CONF, """
                current-context: a
                contexts: [{name: a, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "%s"}}]
                users: [{name: u, user: {token: t}}]
                """.formatted(server));
        HostException refused = assertThrows(
                HostException.class,
                () -> new KubeClients(files, new Fabric8Connector(Map.of(), warnings::add))
                        .access(Path.of(CONF)));
        assertEquals(
                server.isEmpty()
                        ? "the kubeconfig's cluster has no server"
                        : "the server \"%s\" of the kubeconfig's cluster is not an address"
                                .formatted(server),
                refused.what());
        assertEquals("give it as https://host:port", refused.next());
    }

    @Test
    void aServerWithoutASchemeIsAskedByHttps() throws Exception {
        try (LoopbackServer server = server()) {
            files.with(CONF, """
                    current-context: a
                    contexts: [{name: a, context: {cluster: c, user: u}}]
                    clusters: [{name: c, cluster: {server: "127.0.0.1:%d",
                      certificate-authority: ca.crt}}]
                    users: [{name: u, user: {token: t}}]
                    """.formatted(server.port()));
            try (KubeClients clients =
                    new KubeClients(files, new Fabric8Connector(Map.of(), warnings::add))) {
                assertEquals("ok", clients.of(Path.of(CONF)).raw("/"));
            }
        }
    }
}
