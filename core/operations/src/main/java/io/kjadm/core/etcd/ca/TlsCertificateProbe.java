package io.kjadm.core.etcd.ca;

import io.kjadm.core.error.Causes;
import io.kjadm.core.net.AnyCertificate;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.PkiException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/**
 * Greets a server with TLS 1.2 or 1.3 and keeps its certificate. Servers that want one from us end
 * the handshake after they have shown theirs, which is all that is asked for.
 */
public final class TlsCertificateProbe implements CertificateProbe {

    private static final int LIMIT_MILLIS = (int) Duration.ofSeconds(2).toMillis();

    @Override
    public Answer look(URI server) {
        Keeper keeper = new Keeper();
        try (Socket socket = new Socket()) {
            String host = EtcdUrls.host(server);
            socket.connect(new InetSocketAddress(host, server.getPort()), LIMIT_MILLIS);
            socket.setSoTimeout(LIMIT_MILLIS);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {keeper}, null);
            SSLSocket secured = (SSLSocket)
                    context.getSocketFactory().createSocket(socket, host, server.getPort(), true);
            secured.startHandshake();
        } catch (IOException | IllegalArgumentException e) {
            return keeper.shown().orElseGet(() -> new Answer.Unseen(Causes.words(e)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return keeper.shown().orElseGet(() -> new Answer.Unseen("it shows no certificate"));
    }

    /** Accepts whatever it is shown, as nothing follows from it but what is in it. */
    private static final class Keeper extends AnyCertificate {

        private Optional<X509Certificate> own = Optional.empty();

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
            own = Optional.of(chain[0]);
        }

        Optional<Answer> shown() {
            return own.map(certificate -> {
                try {
                    return new Answer.Shown(CertificateInfo.ofDer(certificate.getEncoded()));
                } catch (GeneralSecurityException | PkiException e) {
                    return new Answer.Unseen(Causes.words(e));
                }
            });
        }
    }
}
