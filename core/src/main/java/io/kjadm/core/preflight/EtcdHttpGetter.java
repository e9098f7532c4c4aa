package io.kjadm.core.preflight;

import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.PemTls;
import io.kjadm.core.net.ClientTls;
import io.kjadm.core.net.HttpText;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PrivateKeyPem;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/**
 * Asks an external etcd over HTTP with the operator's CA and client certificate. The files are read
 * by the first question, not before.
 */
final class EtcdHttpGetter implements HttpGetter {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final ExternalEtcd etcd;
    private final HostFiles files;

    EtcdHttpGetter(ExternalEtcd etcd, HostFiles files) {
        this.etcd = etcd;
        this.files = files;
    }

    @Override
    public HttpText.Answer get(URI uri) throws IOException {
        return HttpText.direct(context(), LIMIT).get(uri);
    }

    private SSLContext context() {
        try {
            return ClientTls.context(trust(), clientKeys(), System.getenv());
        } catch (GeneralSecurityException | IOException | PkiException e) {
            throw new HostException(
                    "cannot use the certificates for the external etcd",
                    Causes.words(e),
                    "check caFile, certFile and keyFile of etcd.external",
                    e);
        }
    }

    private ServerTrust trust() {
        return etcd.caFile()
                .<ServerTrust>map(file -> new ServerTrust.Pinned(text(file)))
                .orElseGet(ServerTrust.Machine::new);
    }

    private KeyManager[] clientKeys() throws GeneralSecurityException, IOException {
        if (etcd.certFile().isEmpty() || etcd.keyFile().isEmpty()) {
            return new KeyManager[0];
        }
        return PemTls.keys(
                text(etcd.certFile().get()),
                PrivateKeyPem.toPkcs8(text(etcd.keyFile().get())));
    }

    private String text(Path file) {
        return files.read(file)
                .orElseThrow(() -> new HostException(
                        "cannot use the certificates for the external etcd",
                        file + " does not exist",
                        "check caFile, certFile and keyFile of etcd.external"));
    }
}
