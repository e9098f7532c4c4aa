package io.kjadm.etcd.snapshot;

import java.util.Arrays;

/**
 * How a key begins. Only keys of users and roles may be longer than {@link #BYTES}; of those, two
 * that begin alike are taken to be in order.
 */
final class KeyHead {

    /** So many bytes of a key are kept. */
    static final int BYTES = 64;

    private KeyHead() {}

    static byte[] of(byte[] bytes, int at, int length) {
        return Arrays.copyOfRange(bytes, at, at + Math.min(length, BYTES));
    }

    /** Whether the one key may be before the other. */
    static boolean isBefore(byte[] one, byte[] other) {
        int compared = Arrays.compareUnsigned(one, other);
        return compared < 0 || compared == 0 && one.length == BYTES;
    }

    /** Whether the one key may be before the other, or the same. */
    static boolean isNotAfter(byte[] one, byte[] other) {
        return Arrays.compareUnsigned(one, other) <= 0;
    }
}
