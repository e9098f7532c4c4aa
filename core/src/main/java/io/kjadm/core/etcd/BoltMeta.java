package io.kjadm.core.etcd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * The two meta pages at the beginning of etcd's database file (bbolt's {@code internal/common/meta.go}):
 * without a good one the file cannot be opened, and they tell how long it must be.
 */
final class BoltMeta {

    /** So much of the file's beginning has both pages, whatever their size (at most 64 KiB). */
    static final int HEAD_BYTES = 128 * 1024;

    private static final int MAGIC = 0xED0CDAED;
    private static final int VERSION = 2;
    private static final int PAGE_HEADER_BYTES = 16;
    /** Magic, version, page size, flags, root, free list, high-water page, transaction. */
    private static final int SUMMED_BYTES = 56;

    private static final int HIGH_WATER_AT = 40;
    private static final int META_BYTES = SUMMED_BYTES + Long.BYTES;
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private BoltMeta() {}

    /**
     * Why these bytes do not begin a whole database.
     *
     * @param head the file's first bytes, {@link #HEAD_BYTES} of them if there are so many
     * @param size of the whole file
     */
    static Optional<String> fault(byte[] head, long size) {
        Optional<Integer> pageSize = pageSize(head);
        if (pageSize.isEmpty()) {
            return Optional.of("it does not begin as a database of etcd does");
        }
        for (int page = 0; page < 2; page++) {
            int at = page * pageSize.get() + PAGE_HEADER_BYTES;
            if (at + META_BYTES > head.length) {
                return Optional.of("it ends within its first two pages");
            }
            ByteBuffer meta = meta(head, at);
            if (meta.getInt(0) != MAGIC
                    || meta.getInt(4) != VERSION
                    || meta.getLong(SUMMED_BYTES) != sum(head, at)) {
                return Optional.of("its meta page %d is damaged".formatted(page));
            }
            long needed = meta.getLong(HIGH_WATER_AT) * pageSize.get();
            if (needed > size) {
                return Optional.of("it has %d bytes and needs %d".formatted(size, needed));
            }
        }
        return Optional.empty();
    }

    private static Optional<Integer> pageSize(byte[] head) {
        if (head.length < PAGE_HEADER_BYTES + META_BYTES) {
            return Optional.empty();
        }
        ByteBuffer first = meta(head, PAGE_HEADER_BYTES);
        int size = first.getInt(8);
        boolean possible = size >= 1024 && size <= HEAD_BYTES / 2 && Integer.bitCount(size) == 1;
        return first.getInt(0) == MAGIC && possible ? Optional.of(size) : Optional.empty();
    }

    private static ByteBuffer meta(byte[] head, int at) {
        return ByteBuffer.wrap(head, at, META_BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** FNV-1a with 64 bits. */
    private static long sum(byte[] head, int at) {
        long sum = FNV_OFFSET;
        for (int i = 0; i < SUMMED_BYTES; i++) {
            sum = (sum ^ (head[at + i] & 0xff)) * FNV_PRIME;
        }
        return sum;
    }
}
