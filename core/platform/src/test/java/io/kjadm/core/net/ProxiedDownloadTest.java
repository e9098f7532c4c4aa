package io.kjadm.core.net;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;

import io.kjadm.pki.CertificateAuthority;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Downloads through a proxy and along redirects. */
class ProxiedDownloadTest {

    private static final CertificateAuthority CA = LoopbackServer.authority("company");

    @TempDir
    Path folder;

    private final Map<String, String> environment = new TreeMap<>();

    @BeforeEach
    void trust() throws IOException {
        Path bundle = Files.writeString(folder.resolve("ca.pem"), CA.certificatePem());
        environment.put("SSL_CERT_FILE", bundle.toString());
        environment.put("SSL_CERT_DIR", "/none");
    }

    private HttpText.Answer get(String url) throws IOException {
        return HttpText.ofMachine(environment, Duration.ofMinutes(1)).get(URI.create(url));
    }

    private static void redirect(HttpExchange exchange, String location) throws IOException {
        exchange.getResponseHeaders().set("Location", location);
        LoopbackServer.answer(exchange, 302, "");
    }

    @Test
    void httpsGoesThroughATunnelWhoseCredentialsTheServerDoesNotSee() throws Exception {
        StringBuilder seen = new StringBuilder();
        try (LoopbackServer server = LoopbackServer.tls(CA, "files.example").at("/", exchange -> {
                    seen.append(exchange.getRequestHeaders().getFirst("Proxy-Authorization"));
                    LoopbackServer.answer(exchange, 200, "yes");
                });
                LoggingProxy proxy = new LoggingProxy(server)) {
            environment.put("HTTPS_PROXY", "http://me:p%40ss@" + proxy.address());
            assertEquals("yes", get("https://files.example/a").body());
            String head = proxy.heads().getFirst();
            assertTrue(head.startsWith("CONNECT files.example:443 "), head);
            assertHasLine("Proxy-Authorization: Basic bWU6cEBzcw==", head);
            assertEquals("null", seen.toString());
        }
    }

    /** The JDK reads once, early, whether it may send them. */
    @Test
    void theFirstDownloadOfAProgramTellsTheProxyItsCredentialsToo() throws Exception {
        try (LoopbackServer server =
                        LoopbackServer.tls(CA, "files.example").answering("/", 200, "yes");
                LoggingProxy proxy = new LoggingProxy(server)) {
            environment.put("HTTPS_PROXY", "http://me:pw@" + proxy.address());
            ProcessBuilder program = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Program.class.getName(),
                            "https://files.example/")
                    .redirectErrorStream(true);
            program.environment().clear();
            program.environment().putAll(environment);
            Process running = program.start();
            assertEquals(
                    "yes",
                    new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            assertHasLine("Proxy-Authorization: Basic bWU6cHc=", proxy.heads().getFirst());
        }
    }

    /** A program that downloads something and does nothing else. */
    static final class Program {
        public static void main(String[] urls) throws IOException {
            System.out.print(HttpText.ofMachine(System.getenv(), Duration.ofMinutes(1))
                    .get(URI.create(urls[0]))
                    .body());
        }
    }

    @Test
    void httpIsAskedOfTheProxyItself() throws Exception {
        try (LoopbackServer server = LoopbackServer.plain().answering("/", 200, "yes");
                LoggingProxy proxy = new LoggingProxy(server)) {
            environment.put("http_proxy", proxy.address());
            assertEquals("yes", get("http://files.example/a").body());
            assertTrue(
                    proxy.heads().getFirst().startsWith("GET http://files.example/a "),
                    proxy.heads().toString());
        }
    }

    @Test
    void thisMachineAndExemptedHostsAreAskedDirectly() throws Exception {
        try (LoopbackServer server = LoopbackServer.tls(CA).answering("/", 200, "yes");
                LoggingProxy proxy = new LoggingProxy(server)) {
            environment.put("HTTPS_PROXY", proxy.address());
            get(server.uri().toString());
            assertEquals(List.of(), proxy.heads());
        }
    }

    @Test
    void otherKindsOfProxiesAreRefusedWithoutTheirPassword() {
        Map.of(
                        "https://me:secret@proxy:3129",
                        "a proxy with scheme https is not supported, only http",
                        "socks5://me:secret@proxy",
                        "a proxy with scheme socks5 is not supported, only http",
                        "http://me:sec ret@proxy",
                        "the proxy's address is not a URL such as http://proxy.example:3128",
                        "http://me:secret@proxy:port",
                        "the proxy's address proxy:port has no usable port")
                .forEach((proxy, told) -> {
                    environment.put("HTTPS_PROXY", proxy);
                    IOException refused =
                            assertThrows(IOException.class, () -> get("https://files.example/"));
                    assertEquals(told, refused.getMessage());
                });
    }

    @Test
    void redirectsAreFollowedAlsoFromHttpToHttps() throws Exception {
        try (LoopbackServer server = LoopbackServer.tls(CA);
                LoopbackServer plain = LoopbackServer.plain()) {
            server.at("/a", exchange -> redirect(exchange, "b?x=1")).answering("/b", 200, "yes");
            plain.at("/", exchange -> redirect(exchange, server.uri() + "/a"));
            assertEquals("yes", get(plain.uri() + "/start").body());
            assertEquals(List.of("GET /a", "GET /b?x=1"), server.requests());
        }
    }

    @Test
    void redirectsFromHttpsToHttpAreNotFollowed() throws Exception {
        try (LoopbackServer plain = LoopbackServer.plain().answering("/", 200, "forged");
                LoopbackServer server = LoopbackServer.tls(CA)
                        .at("/", exchange -> redirect(exchange, plain.uri() + "/x"))) {
            String message = assertThrows(
                            IOException.class, () -> get(server.uri().toString()))
                    .getMessage();
            assertEquals(
                    "%s redirects to %s/x, which is not followed"
                            .formatted(server.uri(), plain.uri()),
                    message);
            assertEquals(List.of(), plain.requests());
        }
    }

    @Test
    void redirectsInACircleEnd() throws Exception {
        try (LoopbackServer server =
                LoopbackServer.tls(CA).at("/", exchange -> redirect(exchange, "/again"))) {
            String message = assertThrows(
                            IOException.class, () -> get(server.uri().toString()))
                    .getMessage();
            assertEquals("more than 10 redirects", message);
            assertEquals(11, server.requests().size());
        }
    }
}
