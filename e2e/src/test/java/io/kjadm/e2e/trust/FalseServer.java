package io.kjadm.e2e.trust;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;

import io.kjadm.e2e.lab.Node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Whoever talks to a cluster's API server from one node gets this one instead: the node's traffic
 * to it is redirected here. It answers as the cluster does to anybody, asks each client for a
 * certificate, and keeps all that it is sent.
 */
public final class FalseServer implements AutoCloseable {
    private static final String RULE = "-p tcp -d %s --dport 6443 -j DNAT --to-destination %s:%d";
    private static final char[] NO_PASSWORD = {};

    private final Node client;
    private final String rule;
    private final byte[] answer;
    private final HttpsServer server;
    private final AtomicInteger connections = new AtomicInteger();
    private final List<String> received = new CopyOnWriteArrayList<>();

    private FalseServer(
            Node client, String behind, CertificateAuthority.Signed certificate, String answer) {
        this.client = client;
        this.answer = answer.getBytes(StandardCharsets.UTF_8);
        var here = client.shell("ip route show default | awk '{print $3}'");
        try {
            this.server = HttpsServer.create(new InetSocketAddress(here, 0), 0);
            this.server.setHttpsConfigurator(new Asking(tls(certificate)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen at " + here, e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
        this.rule = RULE.formatted(behind, here, server.getAddress().getPort());
        client.shell("iptables -t nat -I OUTPUT " + rule);
    }

    /**
     * Stands in the way from now on.
     *
     * @param behind the address of the real server
     * @param answer what it answers to every request
     */
    public static FalseServer between(
            Node client, String behind, CertificateAuthority.Signed certificate, String answer) {
        return new FalseServer(client, behind, certificate, answer);
    }

    /** How many TLS connections were begun. */
    public int connections() {
        return connections.get();
    }

    /**
     * Whole requests with their headers and bodies, and the subjects of the certificates that
     * clients have shown.
     */
    public List<String> received() {
        return List.copyOf(received);
    }

    private void handle(HttpExchange exchange) throws IOException {
        var headers = exchange.getRequestHeaders().entrySet().stream()
                .map(header -> header.getKey() + ": " + String.join(", ", header.getValue()))
                .collect(Collectors.joining("\n"));
        received.add("%s %s\n%s\n\n%s"
                .formatted(
                        exchange.getRequestMethod(),
                        exchange.getRequestURI(),
                        headers,
                        new String(
                                exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        ((HttpsExchange) exchange).close();
    }

    private SSLContext tls(CertificateAuthority.Signed certificate) {
        try {
            var own = KeyStore.getInstance("JKS");
            own.load(null, null);
            own.setKeyEntry("own", certificate.key(), NO_PASSWORD, new Certificate[] {
                certificate.certificate()
            });
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, NO_PASSWORD);
            var context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), new TrustManager[] {new Keeping()}, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no TLS with " + certificate, e);
        }
    }

    /** Asks clients for a certificate; it need not be given. */
    private final class Asking extends HttpsConfigurator {
        Asking(SSLContext context) {
            super(context);
        }

        @Override
        public void configure(HttpsParameters parameters) {
            connections.incrementAndGet();
            var wanted = getSSLContext().getDefaultSSLParameters();
            wanted.setWantClientAuth(true);
            parameters.setSSLParameters(wanted);
        }
    }

    /** Takes every client's certificate, and keeps whose it was. */
    private final class Keeping extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            received.add("certificate of " + chain[0].getSubjectX500Principal());
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException("it is no client");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            checkServerTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Override
    public void close() {
        client.exec("bash", "-c", "iptables -t nat -D OUTPUT " + rule);
        server.stop(0);
    }
}
