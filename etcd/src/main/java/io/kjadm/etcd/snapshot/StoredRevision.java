package io.kjadm.etcd.snapshot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A revision of a key as etcd stores it (etcd's {@code server/storage/mvcc/revision.go}): main
 * revision, {@code _}, sub-revision, and {@code t} behind them for a deletion; the value is a
 * {@code KeyValue} message, which tells the main revision again. A restore that raises the revision
 * leaves an entry without any value behind all others (etcd's {@code etcdutl/snapshot}).
 */
final class StoredRevision {

    private static final int BYTES = 17;
    private static final int SEPARATOR_AT = 8;
    private static final int MOD_REVISION = 3;
    private static final int VARINT = 0;
    private static final int LENGTH_DELIMITED = 2;

    private StoredRevision() {}

    /** The key of a revision that is no deletion. */
    static byte[] key(long main, long sub) {
        return ByteBuffer.allocate(BYTES)
                .putLong(main)
                .put((byte) '_')
                .putLong(sub)
                .array();
    }

    /** Its main revision. */
    static long main(byte[] key) {
        return ByteBuffer.wrap(key).order(ByteOrder.BIG_ENDIAN).getLong();
    }

    /** Whether an entry is one. */
    static boolean matches(byte[] key, ByteBuffer value) {
        if (!isRevision(key)) {
            return false;
        }
        if (!value.hasRemaining()) {
            return true;
        }
        boolean deletion = key.length > BYTES;
        try {
            long told = modRevision(value.duplicate());
            return deletion || told == main(key);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isRevision(byte[] key) {
        boolean live = key.length == BYTES;
        boolean deletion = key.length == BYTES + 1 && key[BYTES] == 't';
        return (live || deletion) && key[SEPARATOR_AT] == '_';
    }

    /** Reads the whole message, so that one that ends early is seen. */
    private static long modRevision(ByteBuffer message) {
        long revision = 0;
        while (message.hasRemaining()) {
            long tag = Varint.read(message);
            switch ((int) (tag & 7)) {
                case VARINT -> {
                    long value = Varint.read(message);
                    revision = tag >>> 3 == MOD_REVISION ? value : revision;
                }
                case LENGTH_DELIMITED -> {
                    long length = Varint.read(message);
                    if (length < 0 || length > message.remaining()) {
                        throw new IllegalArgumentException("it ends early");
                    }
                    message.position(message.position() + (int) length);
                }
                default -> throw new IllegalArgumentException("no field is of that kind");
            }
        }
        return revision;
    }
}
