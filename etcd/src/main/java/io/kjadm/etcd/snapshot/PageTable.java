package io.kjadm.etcd.snapshot;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is kept of the pages of a database, by their numbers: a plain leaf as one small array, as
 * there is one for each few kilobytes of it, a branch as its bytes, and the few others as they are.
 */
final class PageTable {

    private static final int LEAF_BYTES = 25;

    private final Map<Integer, BoltPage> others = new HashMap<>();
    private byte[][] packed = new byte[64][];

    /**
     * Notes a page.
     *
     * @param bytes of it
     * @param pages how many it occupies
     */
    void note(int number, ByteBuffer bytes, int pages) {
        BoltPage page = BoltPage.read(bytes, pages);
        if (packed.length <= number) {
            packed = Arrays.copyOf(packed, Math.max(number + 1, packed.length * 2));
        }
        if (!page.isLeaf() && page.fault().isEmpty() && pages == 1) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            packed[number] = copy;
        } else if (isPlain(page)) {
            packed[number] = pack(page);
        } else {
            others.put(number, page);
        }
    }

    private static boolean isPlain(BoltPage page) {
        return page.fault().isEmpty()
                && page.isLeaf()
                && page.buckets().isEmpty()
                && page.entries().known().isEmpty();
    }

    /** Its own number, with which a branch begins, is never -1. */
    private static byte[] pack(BoltPage leaf) {
        BoltPage.Entries entries = leaf.entries();
        byte[] first = leaf.first();
        byte[] last = leaf.last();
        return ByteBuffer.allocate(Long.BYTES + LEAF_BYTES + first.length + last.length)
                .putLong(-1)
                .putInt(leaf.pages())
                .putInt(entries.count())
                .putInt(entries.sum().sum())
                .putLong(entries.sum().length())
                .put((byte) (entries.revisions() ? 1 : 0))
                .putInt(first.length)
                .put(first)
                .put(last)
                .array();
    }

    private static BoltPage unpack(byte[] leaf) {
        ByteBuffer from = ByteBuffer.wrap(leaf).position(Long.BYTES);
        int pages = from.getInt();
        int count = from.getInt();
        Crc32cSum sum = new Crc32cSum(from.getInt(), from.getLong());
        boolean revisions = from.get() != 0;
        byte[] first = new byte[from.getInt()];
        from.get(first);
        byte[] last = new byte[from.remaining()];
        from.get(last);
        return BoltPage.leaf(
                pages,
                first,
                last,
                List.of(),
                new BoltPage.Entries(count, sum, revisions, Map.of()));
    }

    /** The page of a number; empty if none began there that could be part of a tree. */
    Optional<BoltPage> page(long number) {
        if (number < 0 || number >= packed.length) {
            return Optional.empty();
        }
        byte[] found = packed[(int) number];
        if (found == null) {
            return Optional.ofNullable(others.get((int) number));
        }
        return Optional.of(
                ByteBuffer.wrap(found).getLong() == -1
                        ? unpack(found)
                        : BoltPage.read(ByteBuffer.wrap(found), 1));
    }
}
