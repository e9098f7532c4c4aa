package io.kjadm.etcd.snapshot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * What is kept of a page of etcd's database (bbolt's {@code internal/common/page.go}) when its
 * bytes have gone by.
 *
 * @param pages    how many it occupies, with those it overflows to
 * @param fault    why it cannot be part of a tree; empty text if it can
 * @param first    its first key
 * @param last     its last key
 * @param keys     of a branch, the key before each child
 * @param children of a branch, the pages below it
 * @param buckets  in a leaf
 * @param entries  of a leaf, those that are no buckets
 */
record BoltPage(
        int pages,
        String fault,
        byte[] first,
        byte[] last,
        byte[][] keys,
        long[] children,
        List<Bucket> buckets,
        Entries entries) {

    static final int HEADER_BYTES = 16;

    private static final int BRANCH = 1;
    private static final int LEAF = 2;
    private static final int ELEMENT_BYTES = 16;
    private static final int BUCKET_ENTRY = 1;
    private static final int BUCKET_BYTES = 16;
    private static final byte[] NONE = {};
    private static final byte[][] NO_KEYS = {};
    private static final long[] NO_CHILDREN = {};

    /**
     * A bucket in a leaf.
     *
     * @param root   its page
     * @param inline its only page, if it is so small that it lies within the leaf
     */
    record Bucket(byte[] name, long root, Optional<BoltPage> inline) {}

    /**
     * Keys and values.
     *
     * @param sum        over every key and its value, in order
     * @param revisions  whether all are revisions of keys as etcd stores them
     * @param known      values that are told of, by their keys
     */
    record Entries(int count, Crc32cSum sum, boolean revisions, Map<String, byte[]> known) {

        static final Entries NONE = new Entries(0, Crc32cSum.OF_NOTHING, true, Map.of());
    }

    /** Whether a page may begin here: it says its own number, and that it is part of a tree. */
    static boolean begins(ByteBuffer page, long number) {
        int flags = page.getShort(8);
        return page.getLong(0) == number && (flags == BRANCH || flags == LEAF);
    }

    /** How many pages the one that begins here overflows to. */
    static long overflow(ByteBuffer page) {
        return Integer.toUnsignedLong(page.getInt(12));
    }

    /**
     * Reads a page.
     *
     * @param bytes of all that it occupies
     * @param pages how many those are
     */
    static BoltPage read(ByteBuffer bytes, int pages) {
        ByteBuffer page = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        try {
            return page.getShort(8) == BRANCH ? branch(page, pages) : leaf(page, pages);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return faulty(pages, "an element lies outside of it");
        }
    }

    private static BoltPage faulty(int pages, String fault) {
        return new BoltPage(
                pages, fault, NONE, NONE, NO_KEYS, NO_CHILDREN, List.of(), Entries.NONE);
    }

    private static int count(ByteBuffer page) {
        return Short.toUnsignedInt(page.getShort(10));
    }

    private static BoltPage branch(ByteBuffer page, int pages) {
        int count = count(page);
        if (count == 0) {
            return faulty(pages, "it leads nowhere");
        }
        byte[][] keys = new byte[count][];
        long[] children = new long[count];
        for (int i = 0; i < count; i++) {
            int at = HEADER_BYTES + i * ELEMENT_BYTES;
            keys[i] = bytes(page, at + page.getInt(at), page.getInt(at + 4));
            children[i] = page.getLong(at + 8);
            if (i > 0 && Arrays.compareUnsigned(keys[i - 1], keys[i]) >= 0) {
                return faulty(pages, "its keys are not in order");
            }
        }
        return branch(pages, keys, children);
    }

    /** A branch that is as it should be, with one key at least. */
    static BoltPage branch(int pages, byte[][] keys, long[] children) {
        return new BoltPage(
                pages, "", keys[0], keys[keys.length - 1], keys, children, List.of(), Entries.NONE);
    }

    private static BoltPage leaf(ByteBuffer page, int pages) {
        int count = count(page);
        byte[] first = NONE;
        byte[] last = NONE;
        List<Bucket> buckets = new ArrayList<>();
        LeafSum sum = new LeafSum();
        for (int i = 0; i < count; i++) {
            int at = HEADER_BYTES + i * ELEMENT_BYTES;
            int keyAt = at + page.getInt(at + 4);
            int keyBytes = page.getInt(at + 8);
            byte[] key = bytes(page, keyAt, keyBytes);
            ByteBuffer value = page.slice(keyAt + keyBytes, page.getInt(at + 12))
                    .order(ByteOrder.LITTLE_ENDIAN);
            if (i == 0) {
                first = key;
            } else if (Arrays.compareUnsigned(last, key) >= 0) {
                return faulty(pages, "its keys are not in order");
            }
            last = key;
            if (page.getInt(at) == BUCKET_ENTRY) {
                buckets.add(bucket(key, value));
            } else {
                sum.add(key, value);
            }
        }
        return leaf(pages, first, last, List.copyOf(buckets), sum.entries());
    }

    /** A leaf that is as it should be. */
    static BoltPage leaf(
            int pages, byte[] first, byte[] last, List<Bucket> buckets, Entries entries) {
        return new BoltPage(pages, "", first, last, NO_KEYS, NO_CHILDREN, buckets, entries);
    }

    private static byte[] bytes(ByteBuffer page, int at, int length) {
        byte[] bytes = new byte[page.slice(at, length).remaining()];
        page.get(at, bytes);
        return bytes;
    }

    /** A bucket of few entries has them in the place of its page. */
    private static Bucket bucket(byte[] name, ByteBuffer value) {
        long root = value.getLong(0);
        return new Bucket(
                name,
                root,
                root == 0
                        ? Optional.of(read(
                                value.slice(BUCKET_BYTES, value.remaining() - BUCKET_BYTES), 0))
                        : Optional.empty());
    }

    /** Whether it is a leaf. */
    boolean isLeaf() {
        return children.length == 0;
    }

    /** Adds up the entries of a leaf. */
    private static final class LeafSum {

        private final CRC32C crc = new CRC32C();
        private final Map<String, byte[]> known = new HashMap<>();
        private long length;
        private int count;
        private boolean revisions = true;

        void add(byte[] key, ByteBuffer value) {
            count++;
            crc.update(key);
            crc.update(value.duplicate());
            length += key.length + value.remaining();
            revisions &= StoredRevision.matches(key, value);
            StoredFacts.name(key).or(() -> StoredMembers.name(key, value)).ifPresent(name -> {
                byte[] copy = new byte[value.remaining()];
                value.duplicate().get(copy);
                known.put(name, copy);
            });
        }

        Entries entries() {
            return new Entries(
                    count,
                    new Crc32cSum((int) crc.getValue(), length),
                    revisions,
                    known.isEmpty() ? Map.of() : Map.copyOf(known));
        }
    }
}
