package io.kjadm.core.etcd.check;

import io.kjadm.core.host.ForwardingTrustManager;
import io.kjadm.core.host.PemTls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * One connection to a server and one {@code GET /version} on it, seen closely: which address it
 * left from, how long the way is, which certificates the server showed and whether ours satisfied
 * it. A server of TLS 1.3 refuses a client only after the handshake, so the question is part of the
 * test.
 */
final class TlsExchange {

    private static final int CONNECT_MILLIS = 3000;
    private static final int READ_MILLIS = 2500;
    private static final int LONGEST_HEADER = 16 << 10;

    /** For all of it, whatever comes how slowly. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final InstantSource clock;
    private final Duration limit;
    private volatile boolean expired;
    private Duration roundTrip = Duration.ZERO;
    private String sourceRefused = "";
    private boolean distrusted;
    private List<X509Certificate> shown = List.of();

    TlsExchange(InstantSource clock) {
        this(clock, LIMIT);
    }

    TlsExchange(InstantSource clock, Duration limit) {
        this.clock = clock;
        this.limit = limit;
    }

    /** Whether it was cut off since it took too long as a whole. */
    boolean expired() {
        return expired;
    }

    /** How long the connection took to open. */
    Duration roundTrip() {
        return roundTrip;
    }

    /** Why the call did not come from the wanted address; empty text if it did. */
    String sourceRefused() {
        return sourceRefused;
    }

    /** Whether it failed since we do not trust what the server showed. */
    boolean distrusted() {
        return distrusted;
    }

    /** What the server showed, its own certificate first. */
    List<X509Certificate> shown() {
        return shown;
    }

    /** Opens the connection, from the source if this machine has it. */
    Socket connect(String host, int port, Optional<InetAddress> source) throws IOException {
        if (source.isPresent()) {
            Socket socket = new Socket();
            try {
                socket.bind(new InetSocketAddress(source.get(), 0));
            } catch (BindException e) {
                sourceRefused = e.getMessage();
                socket.close();
                return connect(host, port, Optional.empty());
            }
            return connected(socket, host, port);
        }
        return connected(new Socket(), host, port);
    }

    private Socket connected(Socket socket, String host, int port) throws IOException {
        InetSocketAddress server = new InetSocketAddress(host, port);
        long before = System.nanoTime();
        try {
            if (server.isUnresolved()) {
                throw new IOException("the name cannot be resolved");
            }
            cutOffLater(socket);
            socket.connect(server, CONNECT_MILLIS);
            roundTrip = Duration.ofNanos(System.nanoTime() - before);
            socket.setSoTimeout(READ_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** A time-out of reads begins anew with every byte. */
    private void cutOffLater(Socket socket) {
        Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(limit);
                if (!socket.isClosed()) {
                    expired = true;
                    socket.close();
                }
            } catch (InterruptedException | IOException e) {
                // nobody is left who would want it closed
            }
        });
    }

    /** Greets the server and checks that its certificate is good for the host. */
    SSLSocket handshake(Socket socket, String host, int port, SSLContext context)
            throws IOException {
        SSLSocket secured =
                (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }

    /**
     * Asks for the server's version.
     *
     * @return how far its clock is ahead of ours, if it told the time
     * @throws IOException also if it ends the connection without an answer
     */
    Optional<Duration> ask(Socket socket, String host) throws IOException {
        Instant before = clock.instant();
        String name = host.contains(":") ? "[" + host + "]" : host;
        socket.getOutputStream()
                .write("GET /version HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                        .formatted(name)
                        .getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        String header = header(socket.getInputStream());
        Instant after = clock.instant();
        return date(header).map(date -> ahead(date, before, after));
    }

    private static String header(InputStream in) throws IOException {
        var bytes = new ByteArrayOutputStream();
        while (bytes.size() < LONGEST_HEADER) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            bytes.write(next);
            if (next == '\n' && bytes.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
                break;
            }
        }
        if (bytes.size() == 0) {
            throw new IOException("it closed the connection without a response");
        }
        return bytes.toString(StandardCharsets.US_ASCII);
    }

    private static Optional<Instant> date(String header) {
        try {
            return header.lines()
                    .filter(line -> line.regionMatches(true, 0, "Date:", 0, 5))
                    .findFirst()
                    .map(line -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(
                            line.substring(5).strip())));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** The date stands for any moment of its second, and was written between before and after. */
    static Duration ahead(Instant date, Instant before, Instant after) {
        if (date.isAfter(after)) {
            return Duration.between(after, date);
        }
        Instant end = date.plusSeconds(1);
        return end.isBefore(before) ? Duration.between(before, end) : Duration.ZERO;
    }

    /**
     * A context that remembers in this exchange what the server shows.
     *
     * @param certificatePem ours; empty for none
     * @param keyPem in PKCS#8, the one form that the JDK reads
     */
    SSLContext context(String caPem, String certificatePem, String keyPem) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    PemTls.keys(certificatePem, keyPem),
                    new TrustManager[] {new Watcher(PemTls.trust(caPem))},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "the certificates or the key on this node cannot be used: " + e.getMessage(),
                    e);
        }
    }

    /**
     * Decides as the JDK does, and remembers what it decided on: of a server at the other end of a
     * socket, as there are no others here.
     */
    private final class Watcher extends ForwardingTrustManager {

        private final X509ExtendedTrustManager usual;

        private Watcher(X509ExtendedTrustManager usual) {
            this.usual = usual;
        }

        @Override
        protected X509ExtendedTrustManager decider() {
            return usual;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            shown = List.of(chain);
            try {
                super.checkServerTrusted(chain, type, socket);
            } catch (CertificateException e) {
                distrusted = true;
                throw e;
            }
        }
    }
}
