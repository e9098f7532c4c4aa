package io.kjadm.core.net;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;

import io.kjadm.core.host.PemTls;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PrivateKeyPem;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/** A server on this machine, with or without TLS, that notes who asked with which credentials. */
public final class LoopbackServer implements AutoCloseable {

    public static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.1");
    private static final Instant NOW = Instant.now();

    private final HttpServer server;
    private final String scheme;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> clients = new CopyOnWriteArrayList<>();

    private LoopbackServer(HttpServer server, String scheme) {
        this.server = server;
        this.scheme = scheme;
        server.setExecutor(threads);
    }

    /** A CA that is valid now. */
    public static CertificateAuthority authority(String name) {
        return CertificateAuthority.create(
                name,
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(NOW.minusSeconds(3600), Duration.ofDays(2)));
    }

    /** A server's certificate for 127.0.0.1, or for those names alone. */
    public static IssuedCertificate certificate(CertificateAuthority ca, String... names) {
        SubjectNames subjects =
                new SubjectNames(List.of(names), names.length == 0 ? List.of(LOCAL) : List.of());
        return ca.issue(
                CertificateSet.named("apiserver").requestFor("cp-1", subjects),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(NOW.minusSeconds(3600), Duration.ofDays(1)));
    }

    public static LoopbackServer plain() throws IOException {
        return new LoopbackServer(HttpServer.create(new InetSocketAddress(LOCAL, 0), 0), "http")
                .started();
    }

    /** With a certificate of the CA; it asks for a client's, which it believes whatever it is. */
    public static LoopbackServer tls(CertificateAuthority ca, String... names)
            throws IOException, GeneralSecurityException {
        IssuedCertificate own = certificate(ca, names);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                PemTls.keys(own.certificatePem(), PrivateKeyPem.toPkcs8(own.keyPem())),
                new TrustManager[] {new AnyCertificate()},
                null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(LOCAL, 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = context.getDefaultSSLParameters();
                wanted.setWantClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        return new LoopbackServer(server, "https").started();
    }

    private LoopbackServer started() {
        server.start();
        return this;
    }

    /** What to do with requests below a path. */
    public LoopbackServer at(String path, HttpHandler handler) {
        server.createContext(path, exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            authorizations.add(
                    String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            clients.add(client(exchange));
            handler.handle(exchange);
        });
        return this;
    }

    /** Answers requests below a path with JSON. */
    public LoopbackServer answering(String path, int status, String json) {
        return at(path, exchange -> answer(exchange, status, json));
    }

    private static String client(HttpExchange exchange) {
        try {
            return exchange instanceof com.sun.net.httpserver.HttpsExchange https
                    ? https.getSSLSession().getPeerPrincipal().getName()
                    : "unknown";
        } catch (javax.net.ssl.SSLPeerUnverifiedException e) {
            return "unknown";
        }
    }

    public static void answer(HttpExchange exchange, int status, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** Begins an answer that never ends, a byte or a block at a time. */
    public static void trickle(HttpExchange exchange, byte[] block, Duration pause)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (var out = exchange.getResponseBody()) {
            while (true) {
                out.write(block);
                out.flush();
                Thread.sleep(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** {@code https://127.0.0.1:port}. */
    public URI uri() {
        return URI.create("%s://127.0.0.1:%d".formatted(scheme, port()));
    }

    /** The Authorization header of each request, or {@code null} as text. */
    public List<String> authorizations() {
        return authorizations;
    }

    /** Method and path of each request. */
    public List<String> requests() {
        return requests;
    }

    /** The subject of the client certificate of each request, or {@code nobody}. */
    public List<String> clients() {
        return clients;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
