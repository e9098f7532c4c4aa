package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PrivateKeyPem;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** API servers whose certificate does not do, and how that is told apart. */
class UntrustedServerTest {

    private static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.1");

    private HttpsServer server;

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static CertificateAuthority authority(Instant from) {
        return CertificateAuthority.create(
                "kubernetes",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(from, Duration.ofDays(2)));
    }

    private static PrivateKey privateKey(String pem) throws Exception {
        String base64 = PrivateKeyPem.toPkcs8(pem).replaceAll("-----[A-Z ]+-----|\\s", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
    }

    private KubeApiException refused(
            CertificateAuthority issuer, Instant from, CertificateAuthority trusted)
            throws Exception {
        IssuedCertificate issued = issuer.issue(
                CertificateSet.named("apiserver")
                        .requestFor("cp-1", new SubjectNames(List.of(), List.of(LOCAL))),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(from, Duration.ofDays(1)));
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("server", privateKey(issued.keyPem()), new char[0], new Certificate[] {
            CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(
                            issued.certificatePem().getBytes(StandardCharsets.US_ASCII)))
        });
        KeyManagerFactory managers =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(LOCAL, 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.start();
        URI address = URI.create("https://127.0.0.1:" + server.getAddress().getPort());
        try (KubeApi api = new Fabric8Connector(Map.of(), warning -> {})
                .connect(new KubeAccess(
                        address,
                        new ServerTrust.Pinned(trusted.certificatePem()),
                        new Credential.Anonymous()))) {
            return assertThrows(
                    KubeApiException.class,
                    () -> api.get(ConfigMap.class, "kube-public", "cluster-info"));
        }
    }

    @Test
    void oneOfAnotherCaIsNotTrusted() throws Exception {
        Instant before = Instant.now().minusSeconds(3600);
        KubeApiException refused = refused(authority(before), before, authority(before));
        assertEquals(Kind.UNTRUSTED, refused.kind());
    }

    @Test
    void oneThatIsNotValidYetIsAMatterOfClocks() throws Exception {
        CertificateAuthority ca = authority(Instant.now().minusSeconds(3600));
        KubeApiException refused = refused(ca, Instant.now().plusSeconds(3600), ca);
        assertEquals(Kind.UNTIMELY, refused.kind());
        assertTrue(
                refused.getMessage()
                        .startsWith(
                                "its certificate is not valid by this machine's clock, which says "),
                refused.getMessage());
    }

    @Test
    void oneThatHasExpiredToo() throws Exception {
        Instant before = Instant.now().minus(Duration.ofHours(36));
        CertificateAuthority ca = authority(before);
        assertEquals(Kind.UNTIMELY, refused(ca, before, ca).kind());
    }
}
