package io.kjadm.etcd;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, by which etcd sums up its snapshots and this program what it writes. */
public final class Sha256 {

    private Sha256() {}

    /** A digest that has seen nothing yet. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
