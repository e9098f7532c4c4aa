package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.FileDiscovery;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.kube.Fabric8Connector;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.net.HttpText;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.pki.CertificateAuthority;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Discovery by a kubeconfig, against servers of this machine. */
class FileDiscoveryTest {

    private static final CertificateAuthority CLUSTER = LoopbackServer.authority("kubernetes");
    private static final String FILE = "/root/discovery.conf";

    @TempDir
    Path folder;

    private Map<String, String> environment = Map.of();
    private final MemoryFiles files = new MemoryFiles();
    private final RecordingReporter out = new RecordingReporter();

    /** An API server that publishes that CA as the cluster's. */
    private static LoopbackServer server(CertificateAuthority of, CertificateAuthority published)
            throws Exception {
        LoopbackServer server = LoopbackServer.tls(of);
        String info = Kubeconfig.clusterInfo(
                        new KubeconfigCluster(server.uri().toString(), published.certificatePem()))
                .render()
                .replace("\n", "\\n")
                .replace("\"", "\\\"");
        return server.answering("/", 200, """
                {"apiVersion":"v1","kind":"ConfigMap",
                 "metadata":{"name":"cluster-info","namespace":"kube-public"},
                 "data":{"kubeconfig":"%s"}}""".formatted(info));
    }

    private FileDiscoverer.Found discover(String text) {
        return discover(
                text,
                new Fabric8Connector(environment, warning -> {}),
                Optional.of("abcdef.0123456789abcdef"));
    }

    private FileDiscoverer.Found discover(
            String text, KubeConnector connector, Optional<String> token) {
        files.with(FILE, text);
        try (KubeClients clients = new KubeClients(files, connector)) {
            return new FileDiscoverer(
                            files,
                            clients,
                            new VirtualWaiter(Instant.now()),
                            Duration.ofMinutes(1),
                            out)
                    .discover(new FileDiscovery(FILE, token));
        }
    }

    private static String kubeconfig(LoopbackServer server, String more) {
        return """
                clusters: [{name: "", cluster: {server: "%s"%s}}]
                """.formatted(server.uri(), more);
    }

    @Test
    void theCaOfTheFileIsTheClusters() throws Exception {
        try (LoopbackServer server = server(CLUSTER, CLUSTER)) {
            files.with("/root/pki/ca.crt", CLUSTER.certificatePem());
            FileDiscoverer.Found found =
                    discover(kubeconfig(server, ", certificate-authority: pki/ca.crt"));
            assertEquals(CLUSTER.certificatePem(), found.caPem());
            assertEquals(Optional.of(CLUSTER.certificatePem()), found.cluster().caPem());
            assertEquals(List.of("null"), server.authorizations());
        }
    }

    @Test
    void withoutACaAnUnknownServerIsRefused() throws Exception {
        CertificateAuthority rogue = LoopbackServer.authority("rogue");
        try (LoopbackServer server = server(rogue, rogue)) {
            ClusterException refused =
                    assertThrows(ClusterException.class, () -> discover(kubeconfig(server, "")));
            assertEquals(Optional.of(CommonReason.NOT_TRUSTED), refused.reason());
            assertEquals(
                    "add the cluster's CA to the discovery file, as certificate-authority-data",
                    refused.next());
            assertEquals(List.of(), server.requests(), "nothing was asked");
        }
    }

    @Test
    void withoutACaAServerThatTheMachineTrustsTellsTheClustersCa() throws Exception {
        CertificateAuthority company = LoopbackServer.authority("company");
        Path bundle = Files.writeString(folder.resolve("bundle.pem"), company.certificatePem());
        environment = Map.of("SSL_CERT_FILE", bundle.toString(), "SSL_CERT_DIR", "/none");
        try (LoopbackServer server = server(company, CLUSTER)) {
            FileDiscoverer.Found found = discover(kubeconfig(server, ""));
            assertEquals(CLUSTER.certificatePem(), found.caPem());
            assertEquals(
                    Optional.empty(), found.cluster().caPem(), "it goes on with the machine's");
        }
    }

    @Test
    void aServerOfAnotherCaIsRefused() throws Exception {
        CertificateAuthority rogue = LoopbackServer.authority("rogue");
        try (LoopbackServer server = server(rogue, CLUSTER)) {
            files.with("/ca.crt", CLUSTER.certificatePem());
            assertThrows(
                    ClusterException.class,
                    () -> discover(kubeconfig(server, ", certificate-authority: /ca.crt")));
            assertEquals(List.of(), server.requests());
        }
    }

    @Test
    void aCaThatIsNotBase64IsRefused() throws IOException {
        try (LoopbackServer server = LoopbackServer.plain()) {
            HostException refused = assertThrows(
                    HostException.class,
                    () -> discover(kubeconfig(server, ", certificate-authority-data: \"!!!\"")));
            assertEquals(
                    "certificate-authority-data of the kubeconfig is not base64", refused.why());
        }
    }

    @Test
    void aServerThatIsNotToBeVerifiedIsRefused() throws Exception {
        try (LoopbackServer server = server(CLUSTER, CLUSTER)) {
            HostException refused = assertThrows(
                    HostException.class,
                    () -> discover(kubeconfig(server, ", insecure-skip-tls-verify: true")));
            assertEquals(
                    "with insecure-skip-tls-verify the identity of the cluster cannot be verified",
                    refused.why());
            assertEquals(List.of(), server.requests());
        }
    }

    @Test
    void aServerWithoutTlsIsRefused() throws Exception {
        try (LoopbackServer server = LoopbackServer.plain().answering("/", 200, "{}")) {
            HostException refused =
                    assertThrows(HostException.class, () -> discover(kubeconfig(server, "")));
            assertEquals(
                    "with a server without TLS the identity of the cluster cannot be verified",
                    refused.why());
            assertEquals(List.of(), server.requests());
        }
    }

    @Test
    void theOtherNameOfTheServerIsKept() throws Exception {
        files.with("/ca.crt", CLUSTER.certificatePem());
        try (LoopbackServer server =
                LoopbackServer.tls(CLUSTER, "api.example").answering("/", 403, "{}")) {
            FileDiscoverer.Found found = discover(kubeconfig(
                    server, ", certificate-authority: /ca.crt, tls-server-name: api.example"));
            assertEquals(Optional.of("api.example"), found.cluster().tlsServerName());
        }
    }

    private static String withUser(LoopbackServer server, String user) {
        return """
                current-context: a
                contexts: [{name: a, context: {cluster: "", user: u}}]
                users: [{name: u, user: {%s}}]
                """.formatted(user) + kubeconfig(server, ", certificate-authority: /ca.crt");
    }

    @Test
    void besidesABootstrapTokenTheFilesCredentialIsNotLookedAt() throws Exception {
        files.with("/ca.crt", CLUSTER.certificatePem());
        try (LoopbackServer server = server(CLUSTER, CLUSTER)) {
            FileDiscoverer.Found found = discover(withUser(server, "auth-provider: {name: oidc}"));
            assertEquals(Optional.empty(), found.credential());
            assertEquals(List.of("null"), server.authorizations());
        }
    }

    @Test
    void withoutABootstrapTokenItIsUsed() throws Exception {
        files.with("/ca.crt", CLUSTER.certificatePem());
        try (LoopbackServer server = server(CLUSTER, CLUSTER)) {
            FileDiscoverer.Found found = discover(
                    withUser(server, "username: me, password: pw"),
                    new Fabric8Connector(environment, warning -> {}),
                    Optional.empty());
            assertEquals(List.of("Basic bWU6cHc="), server.authorizations());
            assertEquals(
                    new KubeconfigUser.Password("me", "pw"),
                    FileDiscoverer.user(found.credential().orElseThrow())
                            .rare()
                            .password()
                            .orElseThrow());
        }
    }

    /** Its author must not decide what root runs and reads on this machine. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/true, interactiveMode: Never}",
                "tokenFile: /etc/shadow",
                "client-certificate: /root/a.crt, client-key: /etc/kubernetes/pki/ca.key"
            })
    void aDownloadedFileNamesNothingOfThisMachine(String user) throws Exception {
        String text = """
                clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
                users: [{name: u, user: {%s}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(user);
        HostException refused = assertThrows(HostException.class, () -> download(text));

        assertTrue(
                refused.why().contains(user.substring(0, user.indexOf(':'))), refused.getMessage());
    }

    @Test
    void norTheFileOfACa() {
        HostException refused = assertThrows(HostException.class, () -> download("""
                clusters: [{name: "", cluster: {server: "https://127.0.0.1:1", certificate-authority: /ca.crt}}]
                """));
        assertEquals(
                "it was downloaded and has certificate-authority, which name programs or files of this machine",
                refused.why());
    }

    /** Its page would be read as a kubeconfig (kubernetes#138852). */
    @ParameterizedTest
    @ValueSource(ints = {203, 401, 404, 503})
    void aUrlThatAnswersAnythingButOkIsRefusedWithTheStatus(int status) {
        HostException refused =
                assertThrows(HostException.class, () -> download(status, "<h1>Sorry</h1>"));
        assertEquals("the server answered " + status, refused.why());
    }

    /** kubeadm 1.36 panics (kubernetes#138853). */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "current-context: gone\nclusters: [{name: c, cluster: {server: \"https://127.0.0.1:1\"}}]\n",
                "current-context: gone\nclusters: [{name: \"\", cluster: {server: \"https://127.0.0.1:1\"}}]\n"
            })
    void aCurrentContextThatDoesNotExistIsRefusedByItsName(String text) {
        HostException refused = assertThrows(
                HostException.class,
                () -> discover(
                        text, new Fabric8Connector(environment, warning -> {}), Optional.empty()));
        assertTrue(refused.what().contains(FILE), refused.getMessage());
        assertEquals("the kubeconfig has no context named \"gone\"", refused.why());
    }

    private FileDiscoverer.Found download(String text) throws Exception {
        return download(200, text);
    }

    private FileDiscoverer.Found download(int status, String text) throws Exception {
        CertificateAuthority company = LoopbackServer.authority("company");
        Path bundle = Files.writeString(folder.resolve("bundle.pem"), company.certificatePem());
        environment = Map.of("SSL_CERT_FILE", bundle.toString(), "SSL_CERT_DIR", "/none");
        try (LoopbackServer server = LoopbackServer.tls(company).answering("/conf", status, text);
                KubeClients clients =
                        new KubeClients(files, new Fabric8Connector(environment, warning -> {}))) {
            return new FileDiscoverer(
                            files,
                            clients,
                            new VirtualWaiter(Instant.now()),
                            Duration.ofMinutes(1),
                            out,
                            HttpText.ofMachine(environment, Duration.ofMinutes(1)))
                    .discover(new FileDiscovery(server.uri() + "/conf", Optional.empty()));
        }
    }
}
