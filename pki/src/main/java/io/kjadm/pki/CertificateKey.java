package io.kjadm.pki;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** The key to uploaded certificates: 32 bytes, written as 64 hexadecimal digits. */
public final class CertificateKey {

    private static final int KEY_BYTES = 32;

    private final byte[] bytes;

    private CertificateKey(byte[] bytes) {
        this.bytes = bytes;
    }

    public static CertificateKey generate() {
        byte[] bytes = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(bytes);
        return new CertificateKey(bytes);
    }

    /**
     * Reads 64 hexadecimal digits.
     *
     * @throws PkiException for any other text, which is not repeated in the message
     */
    public static CertificateKey parse(String hex) {
        byte[] bytes;
        try {
            bytes = HexFormat.of().parseHex(hex);
        } catch (IllegalArgumentException e) {
            throw new PkiException("the certificate key is not made of hexadecimal digits");
        }
        if (bytes.length != KEY_BYTES) {
            throw new PkiException("the certificate key has %d bytes, needed are %d"
                    .formatted(bytes.length, KEY_BYTES));
        }
        return new CertificateKey(bytes);
    }

    /** The 64 digits, for the operator's eyes. */
    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    SecretKey forAes() {
        return new SecretKeySpec(bytes, "AES");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CertificateKey key && MessageDigest.isEqual(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return CertificateKey.class.hashCode();
    }

    @Override
    public String toString() {
        return "CertificateKey[hidden]";
    }
}
