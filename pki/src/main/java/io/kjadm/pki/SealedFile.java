package io.kjadm.pki;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;

import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * The content of a file, encrypted with AES-256-GCM. Its bytes are a nonce of 12 bytes, the cipher
 * text and a tag of 16 bytes; nothing else is authenticated.
 */
public final class SealedFile {

    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BYTES = 16;

    private final byte[] bytes;

    private SealedFile(byte[] bytes) {
        this.bytes = bytes;
    }

    /** What was read from the cluster; looked at by {@link #open} only. */
    public static SealedFile of(byte[] bytes) {
        return new SealedFile(bytes.clone());
    }

    /** Encrypts with a fresh nonce, so that equal files look different. */
    public static SealedFile seal(byte[] content, CertificateKey key) {
        byte[] nonce = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(nonce);
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, key, nonce);
            byte[] sealed =
                    Arrays.copyOf(nonce, NONCE_BYTES + cipher.getOutputSize(content.length));
            cipher.doFinal(content, 0, content.length, sealed, NONCE_BYTES);
            return new SealedFile(sealed);
        } catch (GeneralSecurityException e) {
            throw new PkiException("the file cannot be encrypted", e);
        }
    }

    /**
     * The content as it was sealed.
     *
     * @throws PkiException if the key is another one, or if a single bit has changed
     */
    public byte[] open(CertificateKey key) {
        if (bytes.length < NONCE_BYTES + TAG_BYTES) {
            throw new PkiException(
                    "the encrypted file is cut off: it has %d bytes only".formatted(bytes.length));
        }
        try {
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, key, Arrays.copyOf(bytes, NONCE_BYTES));
            return cipher.doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES);
        } catch (AEADBadTagException e) {
            throw new PkiException(
                    "the certificate key does not match, or the encrypted file is damaged", e);
        } catch (GeneralSecurityException e) {
            throw new PkiException("the file cannot be decrypted", e);
        }
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    private static Cipher cipher(int mode, CertificateKey key, byte[] nonce)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, key.forAes(), new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
        return cipher;
    }

    @Override
    public String toString() {
        return "SealedFile[%d bytes]".formatted(bytes.length);
    }
}
