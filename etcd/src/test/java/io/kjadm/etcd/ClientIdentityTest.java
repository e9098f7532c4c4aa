package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;

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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no PEM",
                "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n",
                "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n",
                "-----BEGIN PRIVATE KEY-----\nc2V=jcmV0\n-----END PRIVATE KEY-----\n"
            })
    void whatIsNoKeyIsRefusedWithoutAWordOfIt(String pem) {
        GeneralSecurityException refused =
                assertThrows(GeneralSecurityException.class, () -> ClientIdentity.key(pem));
        assertFalse(refused.getMessage().contains("c2V"), refused::getMessage);
    }

    @Test
    void aKeyWithoutACertificateIsRefused() throws GeneralSecurityException {
        String key = pem(some("EC").getEncoded());
        assertThrows(GeneralSecurityException.class, () -> ClientIdentity.of("", key));
        assertThrows(GeneralSecurityException.class, () -> ClientIdentity.of("no PEM", key));
    }
}
