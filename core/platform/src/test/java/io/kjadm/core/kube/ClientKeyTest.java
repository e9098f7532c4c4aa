package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.kjadm.core.error.HostException;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Client keys in every form that is usual. */
class ClientKeyTest {

    private static final CertificateAuthority CA = LoopbackServer.authority("kubernetes");

    private LoopbackServer server;

    @BeforeEach
    void serve() throws Exception {
        server = LoopbackServer.tls(CA).answering("/", 200, "ok");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static String text(String file) throws IOException {
        try (InputStream in = ClientKeyTest.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private static String certificate(String key) {
        return CA.issueFor(
                        key,
                        LeafRequest.client("me", List.of()),
                        Validity.startingAt(Instant.now().minusSeconds(60), Duration.ofHours(1)))
                .certificatePem();
    }

    private String ask(String certificate, String key) {
        KubeAccess access = new KubeAccess(
                server.uri(),
                new ServerTrust.Pinned(CA.certificatePem()),
                new Credential.ClientCertificate(certificate, key));
        try (KubeApi api = new Fabric8Connector(Map.of(), warning -> {}).connect(access)) {
            api.raw("/");
            return server.clients().getLast();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rsa.pkcs1.key",
                "rsa.pkcs8.key",
                "p256.sec1.key",
                "p256.parameters.key",
                "p256.pkcs8.key"
            })
    void isReadAndShown(String file) throws IOException {
        String key = text(file);
        String certificate = certificate(key);
        assertEquals("CN=me", ask(certificate, key));
        String both = certificate + key;
        assertEquals("CN=me", ask(both, both), "both in one file, as the kubelet keeps them");
    }

    @Test
    void ed25519IsReadAndShown() throws IOException {
        assertEquals("CN=ed", ask(text("ed25519.crt"), text("ed25519.key")));
    }

    private static Stream<Arguments> brokenKeys() {
        return Stream.of(
                arguments("garbage", "there is no private key in the PEM text"),
                arguments(
                        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
                        "the private key in the PEM block \"PRIVATE KEY\" cannot be read"),
                arguments(
                        "-----BEGIN EC PRIVATE KEY-----\n%%%%\n-----END EC PRIVATE KEY-----\n",
                        "the PEM block \"EC PRIVATE KEY\" is not valid base64"));
    }

    @ParameterizedTest
    @MethodSource("brokenKeys")
    void aBrokenOneIsToldOf(String key, String why) throws IOException {
        String certificate = certificate(text("p256.sec1.key"));
        HostException refused = assertThrows(HostException.class, () -> ask(certificate, key));
        assertTrue(refused.what().startsWith("the client certificate for "), refused.getMessage());
        assertEquals(why, refused.why());
        assertEquals(
                "give a certificate and its key in PEM, the key without a passphrase",
                refused.next());
    }

    @Test
    void oneOfAnotherCertificateIsToldOf() throws IOException {
        String certificate = certificate(text("p256.sec1.key"));
        for (String other : List.of("rsa.pkcs1.key", "ed25519.key")) {
            HostException refused =
                    assertThrows(HostException.class, () -> ask(certificate, text(other)));
            assertEquals("the private key is not that of the certificate", refused.why());
        }
    }
}
