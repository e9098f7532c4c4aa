package io.kjadm.core.etcd.check;

import io.kjadm.core.error.Causes;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PrivateKeyPem;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Calls over sockets of this machine, with TLS 1.2 or 1.3 and certificates on both sides. */
record TlsPeerDialer(Supplier<TlsExchange> exchanges) implements PeerDialer {

    TlsPeerDialer(InstantSource clock) {
        this(() -> new TlsExchange(clock));
    }

    @Override
    public PeerContact call(URI url, InetAddress source, PeerCredentials credentials) {
        TlsExchange exchange = exchanges.get();
        String host;
        int port = url.getPort() == -1 ? EtcdPorts.PEER : url.getPort();
        try {
            host = EtcdUrls.host(url);
        } catch (IllegalArgumentException e) {
            return new PeerContact.Unreachable(e.getMessage());
        }
        try (Socket socket = exchange.connect(host, port, Optional.of(source))) {
            return answer(exchange, socket, host, port, url, credentials);
        } catch (IOException e) {
            return new PeerContact.Unreachable("%s:%d: %s".formatted(host, port, Causes.words(e)));
        }
    }

    /** Whatever fails from here on, somebody is there. */
    private static PeerContact answer(
            TlsExchange exchange,
            Socket socket,
            String host,
            int port,
            URI url,
            PeerCredentials credentials) {
        try {
            Optional<Duration> ahead = "http".equalsIgnoreCase(url.getScheme())
                    ? exchange.ask(socket, host)
                    : exchange.ask(
                            exchange.handshake(
                                    socket,
                                    host,
                                    port,
                                    exchange.context(
                                            credentials.caPem(),
                                            credentials.certificatePem(),
                                            PrivateKeyPem.toPkcs8(credentials.keyPem()))),
                            host);
            return new PeerContact.Answered(exchange.roundTrip(), ahead, exchange.sourceRefused());
        } catch (SocketTimeoutException e) {
            return new PeerContact.Unreachable(
                    "%s:%d accepts the connection and then does not respond".formatted(host, port));
        } catch (IOException | PkiException e) {
            if (exchange.expired()) {
                return new PeerContact.Unreachable(
                        "%s:%d accepts the connection and then does not complete its response"
                                .formatted(host, port));
            }
            return exchange.distrusted()
                    ? new PeerContact.Untrusted(
                            Causes.words(Causes.root(e)),
                            theirs(exchange.shown()),
                            ours(credentials.caPem()))
                    : new PeerContact.Refused(Causes.words(e));
        }
    }

    /** Issuers are told by the identifier of their key, since servers seldom show the CA itself. */
    private static String theirs(List<X509Certificate> shown) {
        CertificateInfo last = CertificateInfo.parse(pem(shown.getLast()));
        return last.isCa()
                ? authority(last)
                : "a certificate of issuer %s%s, itself SHA-256 %s"
                        .formatted(
                                last.issuer(),
                                last.issuerKeyId().map(id -> " with key " + id).orElse(""),
                                last.fingerprint());
    }

    private static String ours(String caPem) {
        return authority(CertificateInfo.parse(caPem));
    }

    /** A CA as messages name it. */
    static String authority(CertificateInfo ca) {
        return "CA %s%s, SHA-256 %s"
                .formatted(
                        ca.commonName(),
                        ca.keyId().map(id -> " with key " + id).orElse(""),
                        ca.fingerprint());
    }

    private static String pem(X509Certificate certificate) {
        try {
            return "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                    .formatted(Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                            .encodeToString(certificate.getEncoded()));
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }
}
