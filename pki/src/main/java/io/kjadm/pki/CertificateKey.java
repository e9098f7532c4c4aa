package io.kjadm.pki;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** The key to uploaded certificates: 32 bytes, written as 64 hexadecimal digits. */
public final class CertificateKey {

    private static final int KEY_BYTES = 32;
    private static final String MAC = "HmacSHA256";

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
     * The key that everybody has who has a private key, and nobody else: HMAC-SHA256 of the purpose
     * with the key's PKCS#8 bytes.
     *
     * @param privateKeyPem in any form; that of the text does not matter
     * @param purpose       what it is for, so that two purposes have two keys
     * @throws PkiException if the text holds no usable private key
     */
    public static CertificateKey derivedFrom(String privateKeyPem, String purpose) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(PrivateKeyPem.parse(privateKeyPem).getEncoded(), MAC));
            return new CertificateKey(mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new PkiException("no key can be derived from the private key", e);
        }
    }

    /**
     * A key that only a holder of both can make: HMAC-SHA256 of the other one with this one.
     */
    public CertificateKey combinedWith(CertificateKey other) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(bytes, MAC));
            return new CertificateKey(mac.doFinal(other.bytes));
        } catch (GeneralSecurityException e) {
            throw new PkiException("the two keys cannot be combined", e);
        }
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
