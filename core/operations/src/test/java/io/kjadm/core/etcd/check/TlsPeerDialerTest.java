package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.check.PeerContact;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PrivateKeyPem;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Calls to a server that speaks TLS as an etcd peer port does. */
class TlsPeerDialerTest {

    private static final Instant NOW = Instant.now();
    private static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.1");
    /** Longer than a part of a name may be (RFC 1035 §2.3.4), so that nobody is asked for it. */
    private static final String NO_NAME = "x".repeat(64);

    private static final SubjectNames LOCAL_NAMES =
            new SubjectNames(List.of("localhost"), List.of(LOCAL));

    private final CertificateAuthority ca = authority();
    private final CertificateAuthority otherCa = authority();
    private final PeerCredentials member =
            credentials(ca, CertificateSet.ETCD_PEER, Validity.startingAt(NOW, Duration.ofDays(1)));
    private Duration serverAhead = Duration.ZERO;
    private boolean answers = true;
    private boolean tellsTheTime = true;
    private boolean wantsClientCertificate = true;
    private SSLServerSocket server;

    private static CertificateAuthority authority() {
        return CertificateAuthority.create(
                "etcd-ca", KeyAlgorithm.ECDSA_P256, Validity.startingAt(NOW, Duration.ofDays(2)));
    }

    private static PeerCredentials credentials(
            CertificateAuthority ca, String spec, Validity validity) {
        IssuedCertificate issued = ca.issue(
                CertificateSet.named(spec).requestFor("cp-1", LOCAL_NAMES),
                KeyAlgorithm.ECDSA_P256,
                validity);
        return new PeerCredentials(ca.certificatePem(), issued.certificatePem(), issued.keyPem());
    }

    @AfterEach
    void stop() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    /** A member that trusts the CA of its credentials. */
    private URI serve(PeerCredentials shown) throws IOException {
        server = (SSLServerSocket) new TlsExchange(InstantSource.system())
                .context(
                        shown.caPem(),
                        shown.certificatePem(),
                        PrivateKeyPem.toPkcs8(shown.keyPem()))
                .getServerSocketFactory()
                .createServerSocket();
        server.setNeedClientAuth(wantsClientCertificate);
        server.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        Thread.startVirtualThread(this::answer);
        return URI.create("https://127.0.0.1:" + server.getLocalPort());
    }

    private void answer() {
        while (!server.isClosed()) {
            try (SSLSocket call = (SSLSocket) server.accept()) {
                call.startHandshake();
                if (answers) {
                    InputStream in = call.getInputStream();
                    StringBuilder question = new StringBuilder();
                    while (question.indexOf("\r\n\r\n") < 0) {
                        question.append((char) in.read());
                    }
                    OutputStream out = call.getOutputStream();
                    out.write("HTTP/1.1 200 OK\r\n%s: %s\r\n\r\n{}"
                            .formatted(
                                    tellsTheTime ? "date" : "other",
                                    DateTimeFormatter.RFC_1123_DATE_TIME.format(Instant.now()
                                            .plus(serverAhead)
                                            .atOffset(ZoneOffset.UTC)))
                            .getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException e) {
                // what the client sees is what is tested
            }
        }
    }

    private static PeerContact call(URI url, PeerCredentials credentials) {
        return new TlsPeerDialer(InstantSource.system()).call(url, LOCAL, credentials);
    }

    @Test
    void aMemberOfTheSameCaAnswers() throws Exception {
        var answered = assertInstanceOf(PeerContact.Answered.class, call(serve(member), member));
        assertEquals(Optional.of(Duration.ZERO), answered.clockAhead());
        assertEquals("", answered.sourceRefused());
        assertFalse(answered.roundTrip().isZero());
    }

    @Test
    void itsClockIsRead() throws Exception {
        serverAhead = Duration.ofHours(2);
        var ahead = assertInstanceOf(PeerContact.Answered.class, call(serve(member), member))
                .clockAhead()
                .orElseThrow();
        assertTrue(ahead.minusHours(2).abs().toSeconds() <= 2, ahead::toString);
        serverAhead = Duration.ofHours(-2);
        var behind = assertInstanceOf(PeerContact.Answered.class, call(serve(member), member))
                .clockAhead()
                .orElseThrow();
        assertTrue(behind.plusHours(2).abs().toSeconds() <= 2, behind::toString);
    }

    @Test
    void aMemberOfAnotherCaIsToldWithBothFingerprints() throws Exception {
        PeerCredentials other = credentials(
                otherCa, CertificateSet.ETCD_PEER, Validity.startingAt(NOW, Duration.ofDays(1)));
        var untrusted = assertInstanceOf(PeerContact.Untrusted.class, call(serve(other), member));
        assertTrue(untrusted.ours().contains(ca.info().fingerprint()), untrusted.ours());
        assertTrue(
                untrusted
                        .theirs()
                        .contains(CertificateInfo.parse(other.certificatePem()).fingerprint()),
                untrusted.theirs());
        assertTrue(
                untrusted.theirs().contains(otherCa.info().keyId().orElseThrow()),
                untrusted.theirs());
        assertTrue(untrusted.ours().contains(ca.info().keyId().orElseThrow()), untrusted.ours());
    }

    @Test
    void aMemberThatShowsItsCaIsToldByThat() throws Exception {
        PeerCredentials other = credentials(
                otherCa, CertificateSet.ETCD_PEER, Validity.startingAt(NOW, Duration.ofDays(1)));
        var untrusted = assertInstanceOf(
                PeerContact.Untrusted.class,
                call(
                        serve(new PeerCredentials(
                                other.caPem(),
                                other.certificatePem() + other.caPem(),
                                other.keyPem())),
                        member));
        assertEquals(
                "CA etcd-ca with key %s, SHA-256 %s"
                        .formatted(
                                otherCa.info().keyId().orElseThrow(),
                                otherCa.info().fingerprint()),
                untrusted.theirs());
    }

    @Test
    void aMemberThatTrustsAnotherCaRefusesUs() throws Exception {
        PeerCredentials distrustful = new PeerCredentials(
                otherCa.certificatePem(), member.certificatePem(), member.keyPem());
        assertInstanceOf(PeerContact.Refused.class, call(serve(distrustful), member));
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        PeerCredentials expired = credentials(
                ca,
                CertificateSet.ETCD_PEER,
                new Validity(NOW.minus(Duration.ofDays(2)), NOW.minus(Duration.ofDays(1))));
        assertInstanceOf(PeerContact.Refused.class, call(serve(member), expired));
    }

    @Test
    void aCertificateForServersOnlyIsRefused() throws Exception {
        PeerCredentials serverOnly = credentials(
                ca, CertificateSet.API_SERVER, Validity.startingAt(NOW, Duration.ofDays(1)));
        assertInstanceOf(PeerContact.Refused.class, call(serve(member), serverOnly));
    }

    @Test
    void aMemberThatHangsUpAfterTheHandshakeRefusesUs() throws Exception {
        // so does etcd where our certificate lacks the address it sees
        answers = false;
        assertInstanceOf(PeerContact.Refused.class, call(serve(member), member));
    }

    @Test
    void aCertificateThatIsNotForTheUrlsHostIsNotTrusted() throws Exception {
        IssuedCertificate elsewhere = ca.issue(
                CertificateSet.named(CertificateSet.ETCD_PEER)
                        .requestFor("cp-7", new SubjectNames(List.of("cp-7"), List.of())),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(NOW, Duration.ofDays(1)));
        var untrusted = assertInstanceOf(
                PeerContact.Untrusted.class,
                call(
                        serve(new PeerCredentials(
                                ca.certificatePem(),
                                elsewhere.certificatePem(),
                                elsewhere.keyPem())),
                        member));
        assertEquals(
                "No subject alternative names matching IP address 127.0.0.1 found",
                untrusted.why());
    }

    @Test
    void nobodyThereIsUnreachable() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, LOCAL)) {
            port = free.getLocalPort();
        }
        var unreachable = assertInstanceOf(
                PeerContact.Unreachable.class,
                call(URI.create("https://127.0.0.1:" + port), member));
        assertTrue(unreachable.why().contains(String.valueOf(port)), unreachable.why());
    }

    @Test
    void aHostWithoutAddressIsToldWithThePortOfPeers() {
        var unreachable = assertInstanceOf(
                PeerContact.Unreachable.class, call(URI.create("https://" + NO_NAME), member));
        assertEquals(NO_NAME + ":2380: the name cannot be resolved", unreachable.why());
    }

    @Test
    void aUrlWithoutHostIsToldAsItIs() {
        var unreachable = assertInstanceOf(
                PeerContact.Unreachable.class, call(URI.create("https://cp_1:2380"), member));
        assertEquals("https://cp_1:2380 has no host a connection could go to", unreachable.why());
    }

    @Test
    void aServerThatSaysNothingIsNotBlamedOnCertificates() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, LOCAL)) {
            var unreachable = assertInstanceOf(
                    PeerContact.Unreachable.class,
                    call(URI.create("https://127.0.0.1:" + silent.getLocalPort()), member));
            assertEquals(
                    "127.0.0.1:%d accepts the connection and then does not respond"
                            .formatted(silent.getLocalPort()),
                    unreachable.why());
        }
    }

    @Test
    void anAddressThatIsNotOursIsTold() throws Exception {
        var answered = assertInstanceOf(
                PeerContact.Answered.class,
                new TlsPeerDialer(InstantSource.system())
                        .call(serve(member), InetAddress.ofLiteral("192.0.2.77"), member));
        assertFalse(answered.sourceRefused().isEmpty());
    }

    @Test
    void theClockOfAnHttpsServerIsRead() throws Exception {
        wantsClientCertificate = false;
        URI url = serve(member);
        serverAhead = Duration.ofSeconds(90);
        Duration ahead = new TlsServerClock(InstantSource.system()).ahead(url, ca.certificatePem());
        assertTrue(ahead.minusSeconds(90).abs().toSeconds() <= 2, ahead::toString);
        IOException untrusted = assertThrows(
                IOException.class,
                () -> new TlsServerClock(InstantSource.system())
                        .ahead(url, otherCa.certificatePem()));
        assertInstanceOf(SSLHandshakeException.class, untrusted);
    }

    @Test
    void anHttpsServerThatTellsNoTimeIsNotRead() throws Exception {
        wantsClientCertificate = false;
        tellsTheTime = false;
        URI url = serve(member);
        assertEquals(
                "its response has no usable Date header",
                assertThrows(
                                IOException.class,
                                () -> new TlsServerClock(InstantSource.system())
                                        .ahead(url, ca.certificatePem()))
                        .getMessage());
    }

    @Test
    void anHttpsServerWhoseNameNoConnectionCanGoToIsNotRead() {
        String why = assertThrows(
                        IOException.class,
                        () -> new TlsServerClock(InstantSource.system())
                                .ahead(
                                        URI.create("https://api_1.example:6443"),
                                        ca.certificatePem()))
                .getMessage();
        assertEquals("https://api_1.example:6443 has no host a connection could go to", why);
    }

    @Test
    void anHttpsServerWithoutAddressIsNotRead() {
        assertEquals(
                "the name cannot be resolved",
                assertThrows(
                                IOException.class,
                                () -> new TlsServerClock(InstantSource.system())
                                        .ahead(
                                                URI.create("https://" + NO_NAME),
                                                ca.certificatePem()))
                        .getMessage());
    }

    @Test
    void anHttpsServerThatSaysNothingIsNotWaitedForForever() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, LOCAL)) {
            URI url = URI.create("https://127.0.0.1:" + silent.getLocalPort());
            TlsServerClock clock = new TlsServerClock(
                    () -> new TlsExchange(InstantSource.system(), Duration.ofMillis(100)));
            assertEquals(
                    "it does not complete its response",
                    assertThrows(IOException.class, () -> clock.ahead(url, ca.certificatePem()))
                            .getMessage());
        }
    }

    @Test
    void openingAConnectionTakesNoLongerThanItTook() throws Exception {
        URI url = serve(member);
        long before = System.nanoTime();
        var answered = assertInstanceOf(PeerContact.Answered.class, call(url, member));
        assertTrue(
                answered.roundTrip().compareTo(Duration.ofNanos(System.nanoTime() - before)) <= 0,
                answered.roundTrip()::toString);
    }

    @Test
    void oneThatAnswersAByteAtATimeIsNotWaitedForForever() throws Exception {
        try (ServerSocket slow = new ServerSocket(0, 5, InetAddress.ofLiteral("127.0.0.1"))) {
            Thread.startVirtualThread(() -> trickle(slow));
            PeerContact contact = assertTimeoutPreemptively(
                    Duration.ofMinutes(1),
                    () -> new TlsPeerDialer(() ->
                                    new TlsExchange(InstantSource.system(), Duration.ofSeconds(1)))
                            .call(
                                    URI.create("http://127.0.0.1:" + slow.getLocalPort()),
                                    LOCAL,
                                    member));
            String why =
                    assertInstanceOf(PeerContact.Unreachable.class, contact).why();
            assertEquals(
                    "127.0.0.1:%d accepts the connection and then does not complete its response"
                            .formatted(slow.getLocalPort()),
                    why);
        }
    }

    private static void trickle(ServerSocket server) {
        try (Socket call = server.accept()) {
            while (true) {
                call.getOutputStream().write('x');
                Thread.sleep(50);
            }
        } catch (IOException | InterruptedException e) {
            // the client has gone
        }
    }
}
