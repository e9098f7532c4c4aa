package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.error.HostException;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Which servers get a credential. */
class ServerTrustTest {

    private static final CertificateAuthority CLUSTER = LoopbackServer.authority("kubernetes");
    private static final CertificateAuthority OTHER = LoopbackServer.authority("other");
    private static final String MAP = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
            + "\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"},\"data\":{\"k\":\"v\"}}";
    private static final Credential TOKEN = new Credential.Token("secret-token");

    @TempDir
    Path folder;

    private LoopbackServer server;
    private Map<String, String> environment = Map.of();

    @BeforeEach
    void serve() throws Exception {
        server = LoopbackServer.tls(CLUSTER).answering("/", 200, MAP);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ConfigMap read(URI address, ServerTrust trust, Credential credential) {
        try (KubeApi api = new Fabric8Connector(environment, warning -> {})
                .connect(new KubeAccess(address, trust, credential))) {
            return api.get(ConfigMap.class, "b", "a").orElseThrow();
        }
    }

    private Kind refused(ServerTrust trust) {
        return assertThrows(KubeApiException.class, () -> read(server.uri(), trust, TOKEN))
                .kind();
    }

    @Test
    void theServerOfThePinnedCaGetsTheToken() {
        assertEquals(
                "v",
                read(server.uri(), new ServerTrust.Pinned(CLUSTER.certificatePem()), TOKEN)
                        .getData()
                        .get("k"));
        assertEquals(List.of("Bearer secret-token"), server.authorizations());
    }

    @Test
    void everyCertificateOfAPinnedTextIsAnAnchor() {
        read(
                server.uri(),
                new ServerTrust.Pinned(
                        "# a chain\n" + OTHER.certificatePem() + CLUSTER.certificatePem()),
                TOKEN);
    }

    @Test
    void withoutACaAnUnknownServerGetsNothing() {
        assertEquals(Kind.UNTRUSTED, refused(new ServerTrust.Machine()));
        assertEquals(List.of(), server.authorizations());
    }

    @Test
    void withoutACaThoseOfTheMachineVerify() throws Exception {
        Path bundle = folder.resolve("bundle.pem");
        Files.writeString(bundle, OTHER.certificatePem() + CLUSTER.certificatePem());
        environment = Map.of(
                "SSL_CERT_FILE",
                bundle.toString(),
                "SSL_CERT_DIR",
                folder.resolve("none").toString());
        read(server.uri(), new ServerTrust.Machine(), TOKEN);
        assertEquals(List.of("Bearer secret-token"), server.authorizations());
    }

    @Test
    void nobodysQuestionsWithoutACaAreVerifiedToo() {
        KubeApiException refused = assertThrows(
                KubeApiException.class,
                () -> read(server.uri(), new ServerTrust.Machine(), new Credential.Anonymous()));
        assertEquals(Kind.UNTRUSTED, refused.kind());
    }

    @Test
    void theFirstLookTakesAnyServerAndNoCredential() {
        read(server.uri(), new ServerTrust.FirstLook(), new Credential.Anonymous());
        assertEquals(List.of("null"), server.authorizations());
        assertThrows(
                IllegalArgumentException.class,
                () -> new KubeAccess(server.uri(), new ServerTrust.FirstLook(), TOKEN));
    }

    /** What the JDK trusts by itself must not count besides a pinned CA. */
    @Test
    void aPinnedCaIsTheOnlyOneTrusted() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(
                "public",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(
                                CLUSTER.certificatePem().getBytes(StandardCharsets.US_ASCII))));
        Path file = folder.resolve("cacerts");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, "changeit".toCharArray());
        }
        System.setProperty("javax.net.ssl.trustStore", file.toString());
        System.setProperty("javax.net.ssl.trustStorePassword", "changeit");
        try {
            assertEquals(Kind.UNTRUSTED, refused(new ServerTrust.Pinned(OTHER.certificatePem())));
        } finally {
            System.clearProperty("javax.net.ssl.trustStore");
            System.clearProperty("javax.net.ssl.trustStorePassword");
        }
        assertEquals(List.of(), server.authorizations());
    }

    @Test
    void aCaTextWithoutACertificateIsRefusedWithAWord() {
        HostException refused = assertThrows(
                HostException.class,
                () -> read(server.uri(), new ServerTrust.Pinned("hello"), TOKEN));
        assertEquals("there is no certificate in the PEM text", refused.why());
        assertEquals(
                "correct certificate-authority(-data) and tls-server-name in the kubeconfig",
                refused.next());
    }

    @Test
    void aServerOfThePinnedCaForAnotherNameIsRefused() throws Exception {
        try (LoopbackServer elsewhere = LoopbackServer.tls(CLUSTER, "elsewhere.example")) {
            assertEquals(
                    Kind.UNTRUSTED,
                    assertThrows(
                                    KubeApiException.class,
                                    () -> read(
                                            elsewhere.uri(),
                                            new ServerTrust.Pinned(CLUSTER.certificatePem()),
                                            TOKEN))
                            .kind());
        }
    }

    @Test
    void redirectsAreNotFollowed() throws Exception {
        try (LoopbackServer away = LoopbackServer.plain().answering("/", 200, MAP);
                LoopbackServer lure = LoopbackServer.tls(CLUSTER).at("/", exchange -> {
                    exchange.getResponseHeaders().set("Location", away.uri() + "/x");
                    LoopbackServer.answer(exchange, 307, "");
                })) {
            assertThrows(
                    KubeApiException.class,
                    () -> read(
                            lure.uri(), new ServerTrust.Pinned(CLUSTER.certificatePem()), TOKEN));
            assertEquals(List.of(), away.requests());
        }
    }

    @Test
    void theClientCertificateIsShown() {
        var client = CLUSTER.issue(
                CertificateSet.named("apiserver-kubelet-client")
                        .requestFor("cp-1", new SubjectNames(List.of(), List.of())),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(Instant.now().minusSeconds(60), Duration.ofHours(1)));
        read(
                server.uri(),
                new ServerTrust.Pinned(CLUSTER.certificatePem()),
                new Credential.ClientCertificate(client.certificatePem(), client.keyPem()));
        assertEquals(List.of("CN=kube-apiserver-kubelet-client"), server.clients());
    }
}
