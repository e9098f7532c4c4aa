package io.kjadm.etcd.snapshot;

import java.nio.ByteBuffer;

/** A number in as many bytes as it needs, seven bits to each, the lowest first (protobuf's). */
final class Varint {

    private static final int BITS = 7;
    private static final int MORE = 1 << BITS;

    private Varint() {}

    static void write(long number, ByteBuffer into) {
        long left = number;
        while ((left & -MORE) != 0) {
            into.put((byte) (left | MORE));
            left >>>= BITS;
        }
        into.put((byte) left);
    }

    /** @throws IllegalArgumentException if it does not end */
    static long read(ByteBuffer from) {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE && from.hasRemaining(); shift += BITS) {
            byte part = from.get();
            number |= (long) (part & MORE - 1) << shift;
            if (part >= 0) {
                return number;
            }
        }
        throw new IllegalArgumentException("a number does not end");
    }
}
