package io.kjadm.core.snapshot.sign;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The public key that manifests, and the words of operators, are checked with.
 *
 * @param key of Ed25519
 */
public record VerifyKey(PublicKey key) {

    static final String LABEL = "PUBLIC KEY";
    private static final int SHOWN_BYTES = 8;
    private static final String PREFIX = "ed25519:";

    /**
     * Reads one: PEM of a SubjectPublicKeyInfo.
     *
     * @throws IllegalArgumentException if it is of another kind
     */
    static VerifyKey parse(String text) {
        KeyPem pem = KeyPem.parse(text);
        if (!pem.label().equals(LABEL)) {
            throw new IllegalArgumentException(
                    "it has a %s instead of a %s".formatted(pem.label(), LABEL));
        }
        return key(pem.der());
    }

    private static VerifyKey key(byte[] der) {
        try {
            return new VerifyKey(KeyFactory.getInstance(SigningKey.ALGORITHM)
                    .generatePublic(new X509EncodedKeySpec(der)));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("its key is not of " + SigningKey.ALGORITHM, e);
        }
    }

    /**
     * Reads what {@link #text} gives.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static VerifyKey of(String text) {
        if (!text.startsWith(PREFIX)) {
            throw new IllegalArgumentException("a public key begins with " + PREFIX);
        }
        return key(Base64.getDecoder().decode(text.substring(PREFIX.length())));
    }

    /** In one word. */
    public String text() {
        return PREFIX + Base64.getEncoder().encodeToString(key.getEncoded());
    }

    /** Whether the private key of this one has signed something. */
    public boolean hasSigned(byte[] manifest, byte[] signed) {
        try {
            Signature signature = Signature.getInstance(SigningKey.ALGORITHM);
            signature.initVerify(key);
            signature.update(manifest);
            return signature.verify(signed);
        } catch (SignatureException e) {
            return false; // it does not have the shape of a signature
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK verifies " + SigningKey.ALGORITHM, e);
        }
    }

    /** The first 8 bytes of its SHA-256, in hexadecimal digits, by which operators compare keys. */
    public String id() {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
            return HexFormat.of().formatHex(sum, 0, SHOWN_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
