package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.stream.Stream;

/** Keys of every kind that signs; what is no key is told without a word of it. */
class ClientIdentityTest {

    private static PrivateKey some(String kind) throws GeneralSecurityException {
        return KeyPairGenerator.getInstance(kind).generateKeyPair().getPrivate();
    }

    private static String pem(byte[] bytes) {
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(bytes)
                + "\n-----END PRIVATE KEY-----\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void aKeyIsReadWhateverItsKind(String kind) throws GeneralSecurityException {
        PrivateKey key = some(kind);
        assertEquals(key, ClientIdentity.key("about this key\n" + pem(key.getEncoded())));
    }

    @Test
    void linesMayEndAsOnOtherSystems() throws GeneralSecurityException {
        PrivateKey key = some("EC");
        assertEquals(key, ClientIdentity.key(pem(key.getEncoded()).replace("\n", "\r\n")));
    }

    private static Stream<Arguments> noKeys() {
        String other = "there is no key in PKCS#8 form (BEGIN PRIVATE KEY)";
        return Stream.of(
                arguments("", other),
                arguments("no PEM", other),
                arguments(
                        "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n",
                        other),
                arguments(
                        "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n",
                        "the key is none of [RSA, EC, EdDSA]"),
                arguments(
                        "-----BEGIN PRIVATE KEY-----\nc2V=jcmV0\n-----END PRIVATE KEY-----\n",
                        "the key is not Base64"));
    }

    @ParameterizedTest
    @MethodSource("noKeys")
    void whatIsNoKeyIsRefusedWithoutAWordOfIt(String pem, String message) {
        GeneralSecurityException refused =
                assertThrows(GeneralSecurityException.class, () -> ClientIdentity.key(pem));
        assertEquals(message, refused.getMessage());
    }

    @Test
    void aKeyWithoutACertificateIsRefused() throws GeneralSecurityException {
        String key = pem(some("EC").getEncoded());
        assertThrows(GeneralSecurityException.class, () -> ClientIdentity.of("", key));
        assertThrows(GeneralSecurityException.class, () -> ClientIdentity.of("no PEM", key));
    }
}
