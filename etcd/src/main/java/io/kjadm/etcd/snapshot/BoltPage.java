package io.kjadm.etcd.snapshot;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is kept of a page of etcd's database (bbolt's {@code internal/common/page.go}) when its
 * bytes have gone by.
 *
 * @param pages    how many it occupies, with those it overflows to
 * @param fault    why it cannot be part of a tree, if it cannot
 * @param first    the {@linkplain KeyHead head} of its first key
 * @param last     that of its last key
 * @param branch   what is below it; nothing if it is a leaf
 * @param buckets  in a leaf
 * @param entries  of a leaf, those that are no buckets
 */
record BoltPage(
        int pages,
        Fault fault,
        byte[] first,
        byte[] last,
        Branch branch,
        List<Bucket> buckets,
        Entries entries) {

    static final int HEADER_BYTES = 16;
    static final int ELEMENT_BYTES = 16;

    /** The header of a bucket, which an inline page follows. */
    static final int BUCKET_BYTES = 16;

    /** What tells a bucket in a leaf from an entry. */
    static final int BUCKET_ENTRY = 1;

    static final byte[] NONE = {};

    private static final int BRANCH = 1;
    private static final int LEAF = 2;
    private static final int FLAGS_AT = 8;
    private static final int COUNT_AT = 10;
    private static final int OVERFLOW_AT = 12;
    private static final byte[][] NO_KEYS = {};
    private static final Branch NO_BRANCH = new Branch(NO_KEYS, new long[0]);

    /** Why a page cannot be part of a tree of etcd's. */
    enum Fault {
        NO_FAULT(""),
        OUTSIDE("an element lies outside of it"),
        /** bbolt writes keys and values one behind the other, so no two share bytes. */
        APART("its elements do not lie one behind the other"),
        ORDER("its keys are not in order"),
        NOWHERE("it leads to no page"),
        NESTED("a bucket within a bucket, which etcd never makes"),
        LONG("it has more elements than a page that overflows");

        private final String text;

        Fault(String text) {
            this.text = text;
        }

        /** A clause about the page. */
        String text() {
            return text;
        }
    }

    /**
     * What a branch leads to.
     *
     * @param keys     heads of the keys before each child; none if they were not kept
     * @param children the pages below it
     */
    record Branch(byte[][] keys, long[] children) {}

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
    static boolean begins(byte[] bytes, int at, long number) {
        return Little.signed64(bytes, at) == number && (isBranch(bytes, at) || isLeaf(bytes, at));
    }

    static boolean isBranch(byte[] bytes, int at) {
        return Little.unsigned16(bytes, at + FLAGS_AT) == BRANCH;
    }

    static boolean isLeaf(byte[] bytes, int at) {
        return Little.unsigned16(bytes, at + FLAGS_AT) == LEAF;
    }

    /** Whether it may be the number of a page: 8 TiB have as many. */
    static boolean isNumber(long page) {
        return page >= 0 && page <= Integer.MAX_VALUE;
    }

    /** How many elements the one that begins here has. */
    static int count(byte[] bytes, int at) {
        return Little.unsigned16(bytes, at + COUNT_AT);
    }

    /** How many pages the one that begins here overflows to. */
    static long overflow(byte[] bytes, int at) {
        return Little.unsigned32(bytes, at + OVERFLOW_AT);
    }

    /** One that can be part of no tree. */
    static BoltPage faulty(int pages, Fault fault) {
        return new BoltPage(pages, fault, NONE, NONE, NO_BRANCH, List.of(), Entries.NONE);
    }

    /** A branch that is as it should be, with one key at least. */
    static BoltPage branch(int pages, byte[][] keys, long[] children) {
        return new BoltPage(
                pages,
                Fault.NO_FAULT,
                keys[0],
                keys[keys.length - 1],
                new Branch(keys, children),
                List.of(),
                Entries.NONE);
    }

    /** A branch of which only the children were kept. */
    static BoltPage bareBranch(int pages, long[] children) {
        return new BoltPage(
                pages,
                Fault.NO_FAULT,
                NONE,
                NONE,
                new Branch(NO_KEYS, children),
                List.of(),
                Entries.NONE);
    }

    /** A leaf that is as it should be. */
    static BoltPage leaf(
            int pages, byte[] first, byte[] last, List<Bucket> buckets, Entries entries) {
        return new BoltPage(pages, Fault.NO_FAULT, first, last, NO_BRANCH, buckets, entries);
    }

    /** A leaf without the values that are told of. */
    BoltPage withoutKnown() {
        return leaf(
                pages,
                first,
                last,
                buckets,
                new Entries(entries.count, entries.sum, entries.revisions, Map.of()));
    }

    /** Whether it is a leaf. */
    boolean isLeaf() {
        return branch.children.length == 0;
    }

    boolean isFaulty() {
        return fault != Fault.NO_FAULT;
    }
}
