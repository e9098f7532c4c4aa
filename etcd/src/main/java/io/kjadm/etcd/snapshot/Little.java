package io.kjadm.etcd.snapshot;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers as bbolt writes them, little-endian. */
final class Little {

    private static final VarHandle SHORT = handle(short[].class);
    private static final VarHandle INT = handle(int[].class);
    private static final VarHandle LONG = handle(long[].class);

    private Little() {}

    private static VarHandle handle(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /** Of 16 bits, without a sign. */
    static int unsigned16(byte[] bytes, int at) {
        return Short.toUnsignedInt((short) SHORT.get(bytes, at));
    }

    /** Of 32 bits, without a sign. */
    static long unsigned32(byte[] bytes, int at) {
        return Integer.toUnsignedLong((int) INT.get(bytes, at));
    }

    /** Of 64 bits. */
    static long signed64(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }
}
