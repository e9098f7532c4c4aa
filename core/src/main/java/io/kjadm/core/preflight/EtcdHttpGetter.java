package io.kjadm.core.preflight;

import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PrivateKeyPem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * Asks an external etcd over HTTP with the operator's CA and client certificate. The files are read
 * by the first question, not before.
 */
final class EtcdHttpGetter implements HttpGetter {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final char[] NO_PASSWORD = new char[0];

    private final ExternalEtcd etcd;
    private final HostFiles files;

    EtcdHttpGetter(ExternalEtcd etcd, HostFiles files) {
        this.etcd = etcd;
        this.files = files;
    }

    @Override
    public Answer get(URI uri) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(LIMIT).GET().build();
        try (HttpClient client = client()) {
            HttpResponse<String> response =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private HttpClient client() {
        return HttpClient.newBuilder().connectTimeout(LIMIT).version(HttpClient.Version.HTTP_1_1)
                .sslContext(context()).build();
    }

    private SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(clientKeys(), trusted(), null);
            return context;
        } catch (GeneralSecurityException | IOException | PkiException e) {
            throw new HostException("cannot use the certificates for the external etcd",
                    e.getMessage(),
                    "check caFile, certFile and keyFile of etcd.external", e);
        }
    }

    /** Null lets the JDK trust what it always trusts. */
    private TrustManager[] trusted() throws GeneralSecurityException, IOException {
        Optional<Path> caFile = etcd.caFile();
        if (caFile.isEmpty()) {
            return null;
        }
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate ca : certificates(caFile.get())) {
            store.setCertificateEntry("ca" + number++, ca);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private KeyManager[] clientKeys() throws GeneralSecurityException, IOException {
        if (etcd.certFile().isEmpty() || etcd.keyFile().isEmpty()) {
            return new KeyManager[0];
        }
        KeyStore store = emptyStore();
        store.setKeyEntry("client", privateKey(text(etcd.keyFile().get())), NO_PASSWORD,
                certificates(etcd.certFile().get()).toArray(Certificate[]::new));
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private Collection<? extends Certificate> certificates(Path file) throws GeneralSecurityException {
        byte[] pem = text(file).getBytes(StandardCharsets.US_ASCII);
        return CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
    }

    private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
        String base64 = PrivateKeyPem.toPkcs8(pem).lines()
                .filter(line -> !line.startsWith("-----")).reduce("", String::concat);
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
        try {
            return KeyFactory.getInstance("RSA").generatePrivate(spec);
        } catch (InvalidKeySpecException notRsa) {
            return KeyFactory.getInstance("EC").generatePrivate(spec);
        }
    }

    private String text(Path file) {
        return files.read(file).orElseThrow(() -> new HostException(
                "cannot use the certificates for the external etcd", file + " does not exist",
                "check caFile, certFile and keyFile of etcd.external"));
    }
}
