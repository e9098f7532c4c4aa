package io.kjadm.etcd.check;

import java.util.BitSet;
import java.util.OptionalLong;

/**
 * Marks on entries of raft's log, which come in the order of the log: a bit for each of them. An
 * entry takes the place of those that had its index or a later one, as it is a new leader's.
 */
public final class EntryMarks {

    private final BitSet marks = new BitSet();
    /** The index of the first bit, and how many there are. */
    private long base;

    private int count;
    /** Of entries before a gap: a member that lagged got a snapshot there, so they are committed. */
    private long earlier;

    private long lastEarlier;

    /** Puts an entry behind those before it. */
    public void put(long index, boolean mark) {
        takeBack(index);
        if (count == 0 || index - base != count) {
            lastEarlier = last().orElse(0);
            earlier += marks.cardinality();
            marks.clear();
            base = index;
            count = 0;
        }
        marks.set(count, mark);
        count++;
    }

    /** Takes back those from an index on. */
    public void takeBack(long index) {
        if (index <= base) {
            marks.clear();
            count = 0;
            earlier = 0;
        } else if (index - base >= 0 && index - base < count) {
            count = (int) (index - base);
            marks.clear(count, Math.max(count, marks.length()));
        }
    }

    /** How many up to an index are marked. */
    public long upTo(long index) {
        if (index < base) {
            return index < lastEarlier ? 0 : earlier;
        }
        long behind = index - base;
        int bits = behind < 0 || behind >= count ? count : (int) behind + 1;
        return earlier + marks.get(0, bits).cardinality();
    }

    /** How many are marked. */
    public long all() {
        return earlier + marks.cardinality();
    }

    /** The last one that is marked. */
    public OptionalLong last() {
        if (!marks.isEmpty()) {
            return OptionalLong.of(base + marks.length() - 1);
        }
        return earlier > 0 ? OptionalLong.of(lastEarlier) : OptionalLong.empty();
    }
}
