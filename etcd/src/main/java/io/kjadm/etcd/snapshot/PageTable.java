package io.kjadm.etcd.snapshot;

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
 */
final class PageTable {

    private static final int PIECE_BYTES = 1 << 20;
    private static final int ABSENT = 0;

    private final Map<Integer, BoltPage> others = new HashMap<>();
    private final List<byte[]> pieces = new ArrayList<>();
    private ByteBuffer piece = ByteBuffer.allocate(0);
    /** One more than where a page lies, by its number. */
    private int[] places = new int[1024];

    /**
     * Notes a page.
     *
     * @param bytes of it
     * @param pages how many it occupies
     */
    void note(int number, ByteBuffer bytes, int pages) {
        BoltPage page = BoltPage.read(bytes, pages);
        if (!PackedPage.isPlain(page) || !pack(number, page)) {
            others.put(number, page);
        }
    }

    /** Whether it is short enough for that. */
    private boolean pack(int number, BoltPage page) {
        if (packed(number, page)) {
            return true;
        }
        piece = ByteBuffer.allocate(PIECE_BYTES);
        pieces.add(piece.array());
        return packed(number, page);
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

    /** The page of a number; empty if none began there that could be part of a tree. */
    Optional<BoltPage> page(long number) {
        if (number < 0 || number > Integer.MAX_VALUE) {
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
