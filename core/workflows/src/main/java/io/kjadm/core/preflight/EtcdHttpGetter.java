package io.kjadm.core.preflight;

import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.PemTls;
import io.kjadm.core.net.ClientTls;
import io.kjadm.core.net.HttpText;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.core.preflight.machine.HttpGetter;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PrivateKeyPem;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/**
 * Asks an external etcd over HTTP with the operator's CA and client certificate. The files are read
 * by the first question, not before.
 */
record EtcdHttpGetter(ExternalEtcd etcd, HostFiles files) implements HttpGetter {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final Pattern CLUSTER_ID = Pattern.compile("\"cluster_id\"\\s*:\\s*\"(\\d+)\"");

    @Override
    public HttpText.Answer get(URI uri) throws IOException {
        return HttpText.direct(context(), LIMIT).get(uri);
    }

    /**
     * The ID of the cluster at an endpoint, in the hexadecimal form of etcdctl; empty if it does not
     * tell, for example because {@code --enable-grpc-gateway=false}.
     */
    Optional<String> clusterId(URI endpoint) {
        try {
            HttpText.Answer answer = HttpText.direct(context(), LIMIT)
                    .post(at(endpoint, "/v3/maintenance/status"), "{}");
            Matcher id = CLUSTER_ID.matcher(answer.body());
            return answer.status() == 200 && id.find()
                    ? Optional.of(Long.toHexString(Long.parseUnsignedLong(id.group(1))))
                    : Optional.empty();
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** A path at an endpoint, which may end with a slash. */
    static URI at(URI endpoint, String path) {
        return URI.create(endpoint.toString().replaceFirst("/+$", "") + path);
    }

    private SSLContext context() {
        try {
            return ClientTls.context(trust(), clientKeys(), System.getenv());
        } catch (GeneralSecurityException | IOException | PkiException e) {
            throw unusable(Causes.words(e), e);
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
        return files.read(file).orElseThrow(() -> unusable(file + " does not exist", null));
    }

    private static HostException unusable(String why, Exception cause) {
        return new HostException(
                "cannot use the certificates for the external etcd",
                why,
                "check caFile, certFile and keyFile of etcd.external",
                cause);
    }
}
