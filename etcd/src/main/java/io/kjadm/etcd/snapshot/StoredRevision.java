package io.kjadm.etcd.snapshot;

import java.nio.ByteBuffer;

/**
 * A revision of a key as etcd stores it (etcd's {@code server/storage/mvcc/revision.go}): main
 * revision, {@code _}, sub-revision, and {@code t} behind them for a deletion; the value is a
 * {@code KeyValue} message, which tells the main revision again. A restore that raises the revision
 * leaves an entry without any value behind all others (etcd's {@code etcdutl/snapshot}).
 */
final class StoredRevision {

    /** Of its key, without the mark of a deletion. */
    static final int BYTES = 17;

    private static final int SEPARATOR_AT = 8;

    private StoredRevision() {}

    /** The key of a revision that is no deletion. */
    static byte[] key(long main, long sub) {
        return ByteBuffer.allocate(BYTES)
                .putLong(main)
                .put((byte) '_')
                .putLong(sub)
                .array();
    }

    /** The main revision of the key that begins there. */
    static long main(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getLong(at);
    }

    /** Whether a key is one. */
    static boolean matches(byte[] bytes, int at, int length) {
        boolean live = length == BYTES;
        boolean deletion = length == BYTES + 1 && bytes[at + BYTES] == 't';
        return (live || deletion) && bytes[at + SEPARATOR_AT] == '_';
    }
}
