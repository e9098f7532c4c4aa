package io.kjadm.etcd.snapshot;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A page of the tree in few bytes, some twenty for a leaf: there is one for each few kilobytes of a
 * database. Numbers have as many bytes as they need, and of a key there is only what it has not in
 * common with the one before it.
 */
final class PackedPage {

    private static final int BRANCH = 1;
    private static final int LEAF = 2;
    private static final int LEAF_OF_REVISIONS = 3;
    private static final int BARE_BRANCH = 4;
    private static final int FAULTY = 5;

    private static final BoltPage.Fault[] FAULTS = BoltPage.Fault.values();
    private static final byte[] NONE = {};

    /** What the keys of nearly all pages look like. */
    private static final byte[] TYPICAL = StoredRevision.key(0, 0);

    private PackedPage() {}

    /** Whether all that is known of a page can be packed. */
    static boolean isPlain(BoltPage page) {
        return page.buckets().isEmpty() && page.entries().known().isEmpty();
    }

    /**
     * Writes one.
     *
     * @param page a plain one
     * @throws BufferOverflowException if there is no room for it
     */
    static void write(BoltPage page, ByteBuffer into) {
        if (page.isFaulty()) {
            into.put((byte) FAULTY).put((byte) page.fault().ordinal());
            Varint.write(page.pages(), into);
        } else if (page.isLeaf()) {
            into.put((byte) (page.entries().revisions() ? LEAF_OF_REVISIONS : LEAF));
            writeLeaf(page, into);
        } else if (page.branch().keys().length == 0) {
            into.put((byte) BARE_BRANCH);
            writeChildren(page, into);
        } else {
            into.put((byte) BRANCH);
            writeBranch(page, into);
        }
    }

    private static void writeLeaf(BoltPage page, ByteBuffer into) {
        BoltPage.Entries entries = page.entries();
        Varint.write(page.pages(), into);
        Varint.write(entries.count(), into);
        into.putInt(entries.sum().sum());
        Varint.write(entries.sum().length(), into);
        writeKey(TYPICAL, page.first(), into);
        writeKey(page.first(), page.last(), into);
    }

    /** The step from one to the next, which are often neighbours. */
    private static void writeChildren(BoltPage page, ByteBuffer into) {
        Varint.write(page.pages(), into);
        Varint.write(page.branch().children().length, into);
        long before = 0;
        for (long child : page.branch().children()) {
            long step = child - before;
            Varint.write(step << 1 ^ step >> Long.SIZE - 1, into);
            before = child;
        }
    }

    private static BoltPage readChildren(ByteBuffer from) {
        int pages = (int) Varint.read(from);
        long[] children = new long[(int) Varint.read(from)];
        long before = 0;
        for (int i = 0; i < children.length; i++) {
            long step = Varint.read(from);
            before += step >>> 1 ^ -(step & 1);
            children[i] = before;
        }
        return BoltPage.bareBranch(pages, children);
    }

    private static void writeBranch(BoltPage page, ByteBuffer into) {
        byte[][] keys = page.branch().keys();
        Varint.write(page.pages(), into);
        Varint.write(keys.length, into);
        byte[] before = TYPICAL;
        for (int i = 0; i < keys.length; i++) {
            writeKey(before, keys[i], into);
            Varint.write(page.branch().children()[i], into);
            before = keys[i];
        }
    }

    /** Reads one that was written. */
    static BoltPage read(ByteBuffer from) {
        return switch (from.get()) {
            case BRANCH -> readBranch(from);
            case FAULTY -> readFaulty(from);
            case BARE_BRANCH -> readChildren(from);
            case LEAF -> readLeaf(from, false);
            case LEAF_OF_REVISIONS -> readLeaf(from, true);
            default -> throw new IllegalStateException("no page was packed there");
        };
    }

    private static BoltPage readFaulty(ByteBuffer from) {
        BoltPage.Fault fault = FAULTS[from.get()];
        return BoltPage.faulty((int) Varint.read(from), fault);
    }

    private static BoltPage readLeaf(ByteBuffer from, boolean revisions) {
        int pages = (int) Varint.read(from);
        int count = (int) Varint.read(from);
        int sum = from.getInt();
        long length = Varint.read(from);
        byte[] first = readKey(TYPICAL, from);
        byte[] last = readKey(first, from);
        return BoltPage.leaf(
                pages,
                first,
                last,
                List.of(),
                new BoltPage.Entries(count, new Crc32cSum(sum, length), revisions, Map.of()));
    }

    private static BoltPage readBranch(ByteBuffer from) {
        int pages = (int) Varint.read(from);
        int count = (int) Varint.read(from);
        byte[][] keys = new byte[count][];
        long[] children = new long[count];
        byte[] before = TYPICAL;
        for (int i = 0; i < count; i++) {
            keys[i] = readKey(before, from);
            children[i] = Varint.read(from);
            before = keys[i];
        }
        return BoltPage.branch(pages, keys, children);
    }

    /** Without the bytes at its beginning and its end that it shares with the one before. */
    private static void writeKey(byte[] before, byte[] key, ByteBuffer into) {
        int shorter = Math.min(before.length, key.length);
        int mismatch = Arrays.mismatch(before, key);
        int head = mismatch < 0 ? shorter : mismatch;
        int tail = 0;
        while (tail < shorter - head
                && before[before.length - 1 - tail] == key[key.length - 1 - tail]) {
            tail++;
        }
        int own = key.length - head - tail;
        Varint.write(head, into);
        Varint.write(tail, into);
        Varint.write(own, into);
        into.put(key, head, own);
    }

    private static byte[] readKey(byte[] before, ByteBuffer from) {
        int head = (int) Varint.read(from);
        int tail = (int) Varint.read(from);
        int own = (int) Varint.read(from);
        if (head + own + tail == 0) {
            return NONE;
        }
        byte[] key = new byte[head + own + tail];
        System.arraycopy(before, 0, key, 0, head);
        from.get(key, head, own);
        System.arraycopy(before, before.length - tail, key, head + own, tail);
        return key;
    }

    /** A number in as many bytes as it needs, seven bits to each, the lowest first (protobuf's). */
    private static final class Varint {

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
}
