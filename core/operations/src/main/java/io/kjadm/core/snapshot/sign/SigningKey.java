package io.kjadm.core.snapshot.sign;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;

/** The private key that signs manifests, Ed25519 (RFC 8032). */
public final class SigningKey {

    static final String ALGORITHM = "Ed25519";
    static final String LABEL = "PRIVATE KEY";

    private final PrivateKey key;

    SigningKey(PrivateKey key) {
        this.key = key;
    }

    /**
     * Reads one as {@code kjadm etcd snapshot key} and {@code openssl genpkey -algorithm ed25519}
     * write it: PEM of PKCS #8.
     *
     * @throws IllegalArgumentException if it is of another kind
     */
    static SigningKey parse(String text) {
        KeyPem pem = KeyPem.parse(text);
        if (!pem.label().equals(LABEL)) {
            throw new IllegalArgumentException(
                    "it has a %s instead of a %s".formatted(pem.label(), LABEL));
        }
        try {
            return new SigningKey(KeyFactory.getInstance(ALGORITHM)
                    .generatePrivate(new PKCS8EncodedKeySpec(pem.der())));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("its key is not of " + ALGORITHM, e);
        }
    }

    /** The 64 bytes of the signature of a manifest. */
    public byte[] sign(byte[] manifest) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(key);
            signature.update(manifest);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK signs with " + ALGORITHM, e);
        }
    }

    /** The key is not shown. */
    @Override
    public String toString() {
        return "SigningKey";
    }
}
