package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;

class EntryMarksTest {

    private final EntryMarks marks = new EntryMarks();

    @Test
    void aNewLeadersEntryTakesThePlaceOfLaterOnes() {
        for (int index = 5; index < 10; index++) {
            marks.put(index, true);
        }
        marks.put(7, false);

        assertEquals(2, marks.all());
        assertEquals(1, marks.upTo(5));
        assertEquals(OptionalLong.of(6), marks.last());
    }

    @Test
    void entriesBeforeAGapAreCounted() {
        marks.put(5, true);
        marks.put(6, true);
        marks.put(1L << 50, true);
        marks.put((1L << 50) + 1, true);

        assertEquals(4, marks.all());
        assertEquals(2, marks.upTo(1 << 20));
        assertEquals(3, marks.upTo(1L << 50));
        assertEquals(4, marks.upTo(Long.MAX_VALUE));
    }

    @Test
    void nothingIsMarkedAtFirst() {
        assertEquals(0, marks.upTo(Long.MAX_VALUE));
        assertEquals(OptionalLong.empty(), marks.last());
    }

    @Test
    void anyIndexIsTaken() {
        for (long index : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 0, -1, 1, Long.MAX_VALUE}) {
            marks.put(index, true);
            marks.upTo(Long.MIN_VALUE);
            marks.upTo(Long.MAX_VALUE);
        }
        assertEquals(OptionalLong.of(Long.MAX_VALUE), marks.last());
    }

    /** Against a map, for logs without gaps. */
    @Test
    void itCountsAsAMapDoes() {
        SplittableRandom random = new SplittableRandom(5);
        TreeMap<Long, Boolean> map = new TreeMap<>();
        long next = 100;
        for (int i = 0; i < 5000; i++) {
            next = random.nextInt(5) == 0 ? Math.max(90, next - random.nextInt(30)) : next;
            boolean mark = random.nextBoolean();
            map.tailMap(next).clear();
            map.put(next, mark);
            marks.put(next, mark);
            next++;
            long upTo = next - random.nextInt(40);
            assertEquals(
                    map.headMap(upTo, true).values().stream().filter(set -> set).count(),
                    marks.upTo(upTo),
                    "step " + i);
            assertEquals(map.values().stream().filter(set -> set).count(), marks.all());
        }
    }
}
