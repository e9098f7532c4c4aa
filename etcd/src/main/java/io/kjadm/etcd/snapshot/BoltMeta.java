package io.kjadm.etcd.snapshot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * A meta page of etcd's database file (bbolt's {@code internal/common/meta.go}): the file begins
 * with two of them, of which the one with the higher transaction counts.
 *
 * @param pageSize    bytes of a page
 * @param root        page at which the tree of buckets begins
 * @param highWater   number of pages
 * @param transaction that wrote it
 */
record BoltMeta(int pageSize, long root, long highWater, long transaction) {

    /** The first page's header and its meta data. */
    static final int HEAD_BYTES = 80;

    private static final int MAGIC = 0xED0CDAED;
    private static final int VERSION = 2;
    /** Magic, version, page size, flags, root, free list, high-water page, transaction. */
    private static final int SUMMED_BYTES = 56;

    private static final int PAGE_SIZE_AT = 8;
    private static final int ROOT_AT = 16;
    private static final int HIGH_WATER_AT = 40;
    private static final int TRANSACTION_AT = 48;
    private static final int META_BYTES = SUMMED_BYTES + Long.BYTES;
    /** That of the machine's memory, of which none that etcd runs on has smaller ones. */
    private static final int SMALLEST_PAGE = 4096;

    private static final int LARGEST_PAGE = 64 * 1024;
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /**
     * The size of the pages, as the first of them tells it.
     *
     * @param head the file's first {@link #HEAD_BYTES} bytes
     * @return empty if no database of etcd begins so
     */
    static Optional<Integer> pageSize(byte[] head) {
        ByteBuffer meta = meta(head, BoltPage.HEADER_BYTES);
        int size = meta.getInt(PAGE_SIZE_AT);
        boolean possible =
                size >= SMALLEST_PAGE && size <= LARGEST_PAGE && Integer.bitCount(size) == 1;
        return meta.getInt(0) == MAGIC && possible ? Optional.of(size) : Optional.empty();
    }

    /**
     * Reads a page.
     *
     * @param bytes that hold it
     * @param at    where it begins
     * @return empty if it is damaged
     */
    static Optional<BoltMeta> read(byte[] bytes, int at) {
        int start = at + BoltPage.HEADER_BYTES;
        ByteBuffer meta = meta(bytes, start);
        if (meta.getInt(0) != MAGIC
                || meta.getInt(4) != VERSION
                || meta.getLong(SUMMED_BYTES) != sum(bytes, start)) {
            return Optional.empty();
        }
        return Optional.of(new BoltMeta(
                meta.getInt(PAGE_SIZE_AT),
                meta.getLong(ROOT_AT),
                meta.getLong(HIGH_WATER_AT),
                meta.getLong(TRANSACTION_AT)));
    }

    private static ByteBuffer meta(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes, at, META_BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** FNV-1a with 64 bits. */
    private static long sum(byte[] bytes, int at) {
        long sum = FNV_OFFSET;
        for (int i = 0; i < SUMMED_BYTES; i++) {
            sum = (sum ^ (bytes[at + i] & 0xff)) * FNV_PRIME;
        }
        return sum;
    }
}
