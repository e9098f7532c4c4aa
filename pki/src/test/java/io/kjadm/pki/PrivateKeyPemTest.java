package io.kjadm.pki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

class PrivateKeyPemTest {

    @ParameterizedTest
    @CsvSource({
        "rsa.pkcs1.pem, rsa.public.pem",
        "rsa.pkcs8.pem, rsa.public.pem",
        "p256.sec1.pem, p256.public.pem",
        "p256.pkcs8.pem, p256.public.pem",
        "p384.sec1.pem, p384.public.pem"
    })
    void everyFormOfAKeyLeadsToItsPublicKey(String privateKey, String publicKey) {
        ServiceAccountKeys pair = ServiceAccountKeys.ofPrivate(Fixtures.text(privateKey));

        assertEquals(Fixtures.text(publicKey), pair.publicKeyPem());
        assertEquals(Fixtures.text(privateKey), pair.privateKeyPem());
    }

    @ParameterizedTest
    @CsvSource({
        "rsa.pkcs1.pem, RSA",
        "rsa.pkcs8.pem, RSA",
        "p256.sec1.pem, EC",
        "p256.pkcs8.pem, EC",
        "p384.sec1.pem, EC"
    })
    void theJdkReadsWhatWasConverted(String file, String family) throws Exception {
        String pkcs8 = PrivateKeyPem.toPkcs8(Fixtures.text(file));

        assertTrue(pkcs8.startsWith("-----BEGIN PRIVATE KEY-----\n"));
        assertTrue(pkcs8.endsWith("\n-----END PRIVATE KEY-----\n"));
        PrivateKey key = KeyFactory.getInstance(family)
                .generatePrivate(new PKCS8EncodedKeySpec(
                        Base64.getMimeDecoder().decode(pkcs8.replaceAll("-----.*-----", ""))));
        Signature signature =
                Signature.getInstance("SHA256with" + (family.equals("EC") ? "ECDSA" : "RSA"));
        signature.initSign(key);
        signature.update(new byte[] {1});
        byte[] signed = signature.sign();
        signature.initVerify(PublicKeyPem.parse(Fixtures.text(file)));
        signature.update(new byte[] {1});
        assertTrue(signature.verify(signed));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RSA_4096")
    void newKeysAreWrittenInTheFormOfTheirFamily(KeyAlgorithm algorithm) {
        ServiceAccountKeys pair = ServiceAccountKeys.generate(algorithm);
        String label =
                algorithm.configName().startsWith("RSA") ? "RSA PRIVATE KEY" : "EC PRIVATE KEY";

        assertTrue(pair.privateKeyPem().startsWith("-----BEGIN " + label + "-----\n"));
        assertTrue(pair.publicKeyPem().startsWith("-----BEGIN PUBLIC KEY-----\n"));
        assertTrue(pair.privateKeyPem().lines().allMatch(line -> line.length() <= 64));
        assertEquals(pair, ServiceAccountKeys.ofPrivate(pair.privateKeyPem()));
        assertEquals("ServiceAccountKeys[private key hidden]", pair.toString());
    }

    @Test
    void aKeyWrittenAgainIsTheTextOfOpenssl() {
        for (String file : new String[] {"rsa.pkcs1.pem", "p384.sec1.pem"}) {
            PrivateKey key = PrivateKeyPem.parse(Fixtures.text(file));
            var pair = new KeyPair(PublicKeyPem.of(key), key);
            assertEquals(Fixtures.text(file), PrivateKeyPem.encode(pair));
        }
    }

    @Test
    void anEd25519KeyIsForTlsOnly() throws Exception {
        String pkcs8 = PrivateKeyPem.toPkcs8(Fixtures.text("ed25519.pkcs8.pem"));
        assertEquals(Fixtures.text("ed25519.pkcs8.pem"), pkcs8);
        String message = assertThrows(
                        PkiException.class, () -> ServiceAccountKeys.checkPrivate(pkcs8))
                .getMessage();
        assertEquals("the private key is neither RSA nor ECDSA", message);
    }

    @Test
    void parametersOrACertificateMayStandBeforeTheKey() {
        for (String before : new String[] {
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n",
            Fixtures.text("outside-ca.pem")
        }) {
            assertEquals(
                    PrivateKeyPem.toPkcs8(Fixtures.text("p256.sec1.pem")),
                    PrivateKeyPem.toPkcs8(before + Fixtures.text("p256.sec1.pem")));
        }
    }

    @Test
    void textAroundAndWindowsLineEndsDoNotMatter() {
        String pem = "A comment: here\r\n" + Fixtures.text("rsa.pkcs1.pem").replace("\n", "\r\n")
                + "end";

        assertEquals(
                PrivateKeyPem.toPkcs8(Fixtures.text("rsa.pkcs8.pem")), PrivateKeyPem.toPkcs8(pem));
    }

    @Test
    void aPublicKeyMayStandInACertificate() {
        assertEquals(
                PublicKeyPem.parse(Fixtures.text("rsa.public.pem")),
                PublicKeyPem.parse(Fixtures.text("outside-ca.pem")));
    }

    @ParameterizedTest
    @CsvSource({
        "encrypted.pkcs8.pem, passphrase",
        "encrypted.pkcs1.pem, passphrase",
        "secp256k1.sec1.pem, curve 1.3.132.0.10 is not supported",
        "outside-ca.pem, no private key",
        "rsa.public.pem, no private key"
    })
    void unusableKeysAreRefusedWithTheReason(String file, String reason) {
        refused(reason, Fixtures.text(file));
    }

    @Test
    void damagedKeysAreRefusedWithoutRepeatingThem() {
        String whole = Fixtures.text("rsa.pkcs1.pem");

        refused("no private key", "");
        refused("has no end", whole.substring(0, 300));
        refused("not valid base64", whole.replaceFirst("\n", "\n%"));
        refused("is damaged", whole.replace("RSA PRIVATE", "EC PRIVATE"));
        refused("cannot be read", whole.replace("RSA PRIVATE", "PRIVATE"));
        refused(
                "cannot be read",
                Fixtures.text("p256.sec1.pem").replace("EC PRIVATE", "RSA PRIVATE"));
        refused("cannot be read", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n");
    }

    @Test
    void serviceAccountKeysAreCheckedByHalves() {
        assertThrows(PkiException.class, () -> ServiceAccountKeys.checkPrivate("nothing"));
        assertThrows(PkiException.class, () -> ServiceAccountKeys.checkPublic("nothing"));
        ServiceAccountKeys.checkPublic(Fixtures.text("p256.public.pem"));
        ServiceAccountKeys.checkPrivate(Fixtures.text("p256.sec1.pem"));
    }

    @ParameterizedTest
    @CsvSource({
        "rsa.pkcs1.pem, PRIVATE_KEY",
        "p256.sec1.pem, PRIVATE_KEY",
        "p256.pkcs8.pem, PRIVATE_KEY",
        "rsa.public.pem, PUBLIC_KEY",
        "p256.public.pem, PUBLIC_KEY",
        "outside-chain.pem, CERTIFICATE",
        "encrypted.pkcs8.pem, OTHER",
        "ed25519.pkcs8.pem, OTHER",
        "README.md, OTHER"
    })
    void theContentOfATextIsRecognized(String file, PemContent content) {
        assertEquals(content, PemContent.of(Fixtures.text(file)));
    }

    @Test
    void aKeyBehindACertificateMakesTheTextPrivate() {
        assertEquals(
                PemContent.PRIVATE_KEY,
                PemContent.of(Fixtures.text("outside-ca.pem") + Fixtures.text("rsa.pkcs1.pem")));
        assertEquals(
                PemContent.OTHER, PemContent.of(Fixtures.text("rsa.public.pem").substring(0, 200)));
    }

    private static void refused(String reason, String pem) {
        String message = assertThrows(PkiException.class, () -> PrivateKeyPem.toPkcs8(pem))
                .getMessage();
        assertTrue(message.contains(reason), message);
    }
}
