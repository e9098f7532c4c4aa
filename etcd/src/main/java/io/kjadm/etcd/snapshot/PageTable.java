package io.kjadm.etcd.snapshot;

import io.kjadm.etcd.snapshot.BoltPage.Bucket;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is kept of the pages of a database, by their numbers: nearly all as a few bytes one behind
 * the other, which takes a third of what an object for each would, and the few others as they are.
 *
 * <p>What is kept has limits, which no database of etcd's comes near to, as a value may be full of
 * pages that were made for no other end: a page beyond them is not noted.
 */
final class PageTable {

    private static final int PIECE_BYTES = 1 << 20;
    private static final int MOST_PIECES = Integer.MAX_VALUE / PIECE_BYTES;
    private static final int ABSENT = 0;

    /** Of branches, with the keys before their children. */
    private static final long MOST_KEYED = 2 << 20;

    /** Of branches, most with their children alone. */
    private static final long MOST_BARE = 6 << 20;

    private static final long MOST_EVER = 192 << 20;
    /** Of pages as they are, other than the tree's root. */
    private static final int MOST_OTHERS = 2 << 20;

    private final Map<Integer, BoltPage> others = new HashMap<>();
    private final List<byte[]> pieces = new ArrayList<>();
    private ByteBuffer piece = ByteBuffer.allocate(0);
    /** One more than where a page lies, by its number. */
    private int[] places = new int[1024];

    private long root = -1;
    private long branches;
    private long withBuckets;
    private long withKnown;

    /** Tells at which page the tree of buckets begins; that one is kept in any case. */
    void root(long page) {
        root = page;
    }

    /**
     * Notes a page.
     *
     * @param pageBytes bytes of a page
     */
    void note(int number, BoltPage page, int pageBytes) {
        if (!page.isLeaf()) {
            noteBranch(number, page, (long) number * pageBytes);
        } else if (PackedPage.isPlain(page)) {
            pack(number, page);
        } else if (number == root) {
            others.put(number, page);
        } else if (page.buckets().isEmpty()) {
            noteKnown(number, page);
        } else {
            withBuckets += page.buckets().stream().mapToLong(PageTable::bucket).sum();
            keep(number, page, withBuckets);
        }
    }

    /** Without a part of the members there is no list of them; without a fact there is no page. */
    private void noteKnown(int number, BoltPage page) {
        withKnown += known(page);
        if (withKnown > MOST_OTHERS
                && !StoredFacts.isAmong(page.entries().known().keySet())) {
            pack(number, page.withoutKnown());
        } else {
            keep(number, page, withKnown);
        }
    }

    private void keep(int number, BoltPage page, long kept) {
        if (kept <= MOST_OTHERS) {
            others.put(number, page);
        }
    }

    /** Bytes of memory, roughly. */
    private static long bucket(Bucket bucket) {
        return 128
                + bucket.name().length
                + bucket.inline().map(PageTable::known).orElse(0L);
    }

    private static long known(BoltPage page) {
        return 256
                + page.entries().known().values().stream()
                        .mapToLong(value -> 128L + value.length)
                        .sum();
    }

    private void noteBranch(int number, BoltPage page, long passed) {
        long before = bytes();
        if (branches <= MOST_KEYED + passed / 64) {
            pack(number, page);
        } else if (branches <= Math.min(MOST_EVER, MOST_BARE + passed / 16)) {
            pack(number, BoltPage.bareBranch(page.pages(), page.branch().children()));
        }
        branches += bytes() - before;
    }

    private long bytes() {
        return (long) pieces.size() * PIECE_BYTES - piece.remaining();
    }

    private void pack(int number, BoltPage page) {
        if (packed(number, page) || pieces.size() == MOST_PIECES) {
            return;
        }
        piece = ByteBuffer.allocate(PIECE_BYTES);
        pieces.add(piece.array());
        packed(number, page);
    }

    private boolean packed(int number, BoltPage page) {
        int begin = piece.position();
        try {
            PackedPage.write(page, piece);
        } catch (BufferOverflowException e) {
            piece.position(begin);
            return false;
        }
        if (places.length <= number) {
            places = Arrays.copyOf(places, Math.max(number + 1, places.length / 2 * 3));
        }
        places[number] = (pieces.size() - 1) * PIECE_BYTES + begin + 1;
        return true;
    }

    /** The page of a number; empty if none was noted that could be part of a tree. */
    Optional<BoltPage> page(long number) {
        if (!BoltPage.isNumber(number)) {
            return Optional.empty();
        }
        int place = number < places.length ? places[(int) number] : ABSENT;
        if (place == ABSENT) {
            return Optional.ofNullable(others.get((int) number));
        }
        int begin = place - 1;
        return Optional.of(PackedPage.read(
                ByteBuffer.wrap(pieces.get(begin / PIECE_BYTES)).position(begin % PIECE_BYTES)));
    }
}
