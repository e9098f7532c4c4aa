package io.kjadm.core.snapshot;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.net.LoggingProxy;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.store.ObjectStore.Stored;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Which requests of a bucket go through the proxy of the environment. */
class BucketProxyTest {

    private static final String NAME = "minio.example";

    private final CertificateAuthority ca = LoopbackServer.authority("store-ca");
    private final MemoryFiles files = new MemoryFiles().with("/ca.crt", ca.certificatePem());

    @BeforeEach
    void credentials() {
        System.setProperty("aws.accessKeyId", "an-id");
        System.setProperty("aws.secretAccessKey", "its-secret");
    }

    @AfterEach
    void noCredentials() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    private Optional<String> read(Map<String, String> environment, String endpoint) {
        return new SnapshotStores(files, environment)
                .open(
                        "s3://bucket/p?ca-file=/ca.crt&endpoint=" + endpoint,
                        store -> store.read("a", 100))
                .map(Stored::content)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    /** The object is in every bucket, whatever it is called. */
    private static LoopbackServer serving(LoopbackServer server, List<String> asked) {
        return server.at("/", exchange -> {
            asked.add(String.valueOf(exchange.getRequestHeaders().getFirst("Proxy-Authorization")));
            exchange.getResponseHeaders().add("ETag", "\"one\"");
            exchange.getResponseHeaders().add("Last-Modified", "Mon, 30 Nov 2026 10:00:00 GMT");
            byte[] body = "bytes".getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }

    /** It is not encrypted: the proxy and all behind it would read credentials and snapshots. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "LOCALHOST"})
    void noRequestToThisMachineGoesThroughAProxy(String host) throws IOException {
        List<String> asked = new CopyOnWriteArrayList<>();
        try (LoopbackServer server = serving(LoopbackServer.plain(), asked);
                LoggingProxy proxy = new LoggingProxy(server)) {
            String url = "http://" + proxy.address();

            assertEquals(
                    Optional.of("bytes"),
                    read(
                            Map.of("HTTP_PROXY", url, "HTTPS_PROXY", url),
                            "http://%s:%d".formatted(host, server.port())));

            assertEquals(List.of(), proxy.heads());
        }
    }

    /** What the proxy is to know, the server is not told. */
    @ParameterizedTest
    @ValueSource(strings = {"http://me:p%40ss@", "me:p%40ss@"})
    void theProxyForHttpsIsUsedWithItsCredentials(String user)
            throws IOException, GeneralSecurityException {
        List<String> asked = new CopyOnWriteArrayList<>();
        try (LoopbackServer server = serving(LoopbackServer.tls(ca, NAME), asked);
                LoggingProxy proxy = new LoggingProxy(server, true)) {
            assertEquals(
                    Optional.of("bytes"),
                    read(
                            Map.of("https_proxy", user + proxy.address()),
                            "https://%s:9000".formatted(NAME)));

            assertEquals(List.of("null"), asked);
            String head = proxy.heads().getLast();
            assertTrue(head.startsWith("CONNECT minio.example:9000 "), head);
            assertHasLine("Proxy-authorization: Basic bWU6cEBzcw==", head);
        }
    }

    /** Another try with the same password could lock the account. */
    @Test
    void aProxyThatRefusesTheCredentialsIsAskedOnceMore() throws IOException {
        try (ServerSocket proxy = new ServerSocket(0, 50, LoopbackServer.LOCAL)) {
            List<String> heads = new CopyOnWriteArrayList<>();
            Thread.ofVirtual().start(() -> refuse(proxy, heads));

            ClusterException failure = assertThrows(
                    ClusterException.class,
                    () -> read(
                            Map.of(
                                    "HTTPS_PROXY",
                                    "http://me:hidden@127.0.0.1:" + proxy.getLocalPort()),
                            "https://%s:9000".formatted(NAME)));

            assertEquals(2, heads.size());
            assertEquals(
                    "Unable to execute HTTP request: Unable to tunnel through proxy. Proxy returns \"HTTP/1.1 407 Proxy Authentication Required\"",
                    failure.why());
        }
    }

    private static void refuse(ServerSocket proxy, List<String> heads) {
        while (true) {
            try (Socket client = proxy.accept()) {
                byte[] head = new byte[8192];
                int read = client.getInputStream().read(head);
                heads.add(new String(head, 0, Math.max(0, read), StandardCharsets.US_ASCII));
                client.getOutputStream()
                        .write(
                                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                return;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.0/24", ".example", "minio.example:9000,192.0.2.1"})
    void noProxyMayNameNetworksAndDomains(String exempt) throws IOException {
        try (LoopbackServer server = LoopbackServer.plain();
                LoggingProxy proxy = new LoggingProxy(server)) {
            String url = "http://" + proxy.address();
            String host = exempt.contains("example") ? "minio.example" : "192.0.2.1";

            assertThrows(
                    ClusterException.class,
                    () -> read(
                            Map.of("HTTPS_PROXY", url, "NO_PROXY", exempt),
                            "https://%s:9000".formatted(host)));

            assertEquals(List.of(), proxy.heads());
        }
    }

    @Test
    void aProxyThatCannotBeUsedIsToldWithoutItsPassword() {
        ClusterException failure = assertThrows(
                ClusterException.class,
                () -> read(
                        Map.of("HTTPS_PROXY", "socks5://me:hidden@proxy:1080"),
                        "https://minio.example"));

        assertEquals("a proxy with scheme socks5 is not supported, only http", failure.why());
    }
}
