package io.kjadm.store;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The MD5 sum of what is sent. A server refuses bytes that have another one, and Amazon's takes
 * nothing without it where objects are locked by default (Amazon's "S3 Object Lock").
 */
final class ContentSum {

    private ContentSum() {}

    static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has it", e);
        }
    }

    /** Of the first bytes. */
    static byte[] of(byte[] bytes, int length) {
        MessageDigest sum = md5();
        sum.update(bytes, 0, length);
        return sum.digest();
    }

    /** As the header {@code Content-MD5} has it. */
    static String header(byte[] sum) {
        return Base64.getEncoder().encodeToString(sum);
    }
}
