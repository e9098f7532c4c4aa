package io.kjadm.etcd.snapshot;

import io.kjadm.etcd.snapshot.BoltPage.Entries;
import io.kjadm.etcd.snapshot.BoltPage.Fault;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads a page that overflows to others while those go by. It needs some hundred bytes, however
 * long the page is: of a key its {@linkplain KeyHead head} is kept, of a value nothing unless it may
 * be a fact or a member, and pages within a value are not looked at, as their sum follows from the
 * sums up to them and beyond them.
 */
final class LongPage {

    /**
     * bbolt splits what does not fit into a page unless it has no more than four elements ({@code
     * node.split}), so no more than those are in a page that overflows.
     */
    private static final int MOST_ELEMENTS = 16;

    private final int number;
    private final int pages;
    private final boolean branch;
    private final long[] keyEnds;
    private final long[] valueEnds;
    private final long[] children;
    private final byte[][] keys;
    private final RevisionCheck check = new RevisionCheck();

    /** Where its keys and values begin and end, counted from where the page begins. */
    private final int begin;

    private long end;
    /** The next byte of interest, counted likewise. */
    private long next;

    private Fault fault = Fault.NO_FAULT;
    private int entry;
    private boolean inValue;
    /** How much of the head of a key is there. */
    private int taken;

    private final Room room;
    private final Map<String, byte[]> known = new HashMap<>();
    /** Of the value that goes by, if it is kept. */
    private Optional<String> name = Optional.empty();

    private byte[] value = BoltPage.NONE;
    private int valueTaken;
    private int kept;

    private boolean revisions = true;
    private boolean summed;
    private Crc32cSum sum = Crc32cSum.OF_NOTHING;
    private Crc32cSum upToSecond = Crc32cSum.OF_NOTHING;

    /** What all pages together that are not complete may keep of values. */
    static final class Room {

        private int left;

        Room(int bytes) {
            left = bytes;
        }

        private boolean take(int bytes) {
            boolean enough = bytes <= left;
            left -= enough ? bytes : 0;
            return enough;
        }

        /** Takes back what a page that is complete took of it. */
        void leave(LongPage page) {
            left += page.kept;
            page.kept = 0;
        }
    }

    private LongPage(int number, byte[] bytes, int at, Room room) {
        this.number = number;
        this.room = room;
        this.pages = (int) BoltPage.overflow(bytes, at) + 1;
        this.branch = BoltPage.isBranch(bytes, at);
        int count = BoltPage.count(bytes, at);
        int kept = Math.min(count, MOST_ELEMENTS);
        this.keyEnds = new long[kept];
        this.valueEnds = new long[kept];
        this.children = new long[branch ? kept : 0];
        this.keys = new byte[kept][];
        this.begin = BoltPage.HEADER_BYTES + kept * BoltPage.ELEMENT_BYTES;
        this.next = begin;
        this.end = begin;
        if (kept < count) {
            fault = Fault.LONG;
        } else if (branch && count == 0) {
            fault = Fault.NOWHERE;
        }
    }

    /**
     * Begins with one.
     *
     * @param bytes     that have its first page
     * @param at        where that begins
     * @param pageBytes bytes of a page
     * @param room      for values that are kept
     */
    static LongPage begin(int number, byte[] bytes, int at, int pageBytes, Room room) {
        LongPage page = new LongPage(number, bytes, at, room);
        for (int i = 0; i < page.keyEnds.length; i++) {
            page.element(bytes, at, i);
        }
        if (!page.isFaulty() && page.end > (long) page.pages * pageBytes) {
            page.fault = Fault.OUTSIDE;
        }
        page.take(bytes, at, 0, pageBytes);
        int summedTo = (int) Math.min(page.end, pageBytes);
        page.sum = page.isFaulty() ? page.sum : sum(bytes, at + page.begin, at + summedTo);
        page.summed = page.end <= pageBytes;
        return page;
    }

    /** Notes where an element's key and value are. */
    private void element(byte[] bytes, int at, int index) {
        int offset = BoltPage.HEADER_BYTES + index * BoltPage.ELEMENT_BYTES;
        int position = at + offset + (branch ? 0 : 4);
        long keyBytes = Little.unsigned32(bytes, position + 4);
        if (offset + Little.unsigned32(bytes, position) != end) {
            fault = Fault.APART;
        } else if (keyBytes == 0) {
            fault = Fault.ORDER;
        }
        keyEnds[index] = end + keyBytes;
        valueEnds[index] = keyEnds[index] + (branch ? 0 : Little.unsigned32(bytes, position + 8));
        end = valueEnds[index];
        if (branch) {
            children[index] = Little.signed64(bytes, position + 8);
            fault = BoltPage.isNumber(children[index]) ? fault : Fault.NOWHERE;
        } else if (Little.unsigned32(bytes, position - 4) == BoltPage.BUCKET_ENTRY) {
            // one within a leaf has a quarter of a page at most, and etcd's are few
            fault = Fault.NESTED;
        }
    }

    int number() {
        return number;
    }

    /** Takes the sum over all pages up to its second one. */
    void upToSecond(Crc32cSum all) {
        upToSecond = all;
    }

    /** The number of the next page that it has to see. */
    int due(int pageBytes) {
        return number + (int) ((isRead() ? end - 1 : next) / pageBytes);
    }

    /** Whether no more pages are of interest. */
    boolean isComplete() {
        return isFaulty() || isRead() && summed;
    }

    private boolean isFaulty() {
        return fault != Fault.NO_FAULT;
    }

    private boolean isRead() {
        return entry == keyEnds.length;
    }

    /**
     * Takes the page that is due.
     *
     * @param bytes that have it
     * @param at    where it begins
     * @param all   the sum over all pages up to this one
     */
    void accept(int page, byte[] bytes, int at, int pageBytes, Crc32cSum all) {
        long offset = (long) (page - number) * pageBytes;
        take(bytes, at, offset, pageBytes);
        if (!isFaulty() && isRead() && end <= offset + pageBytes) {
            sum = sum.then(all.without(upToSecond)).then(sum(bytes, at, at + (int) (end - offset)));
            summed = true;
        }
    }

    private static Crc32cSum sum(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return new Crc32cSum((int) crc.getValue(), to - from);
    }

    private void take(byte[] bytes, int at, long offset, int length) {
        while (!isFaulty() && !isRead() && next < offset + length) {
            int from = at + (int) (next - offset);
            if (inValue) {
                takeValue(bytes, from, at + length);
            } else {
                takeKey(bytes, from, at + length);
            }
        }
    }

    private void takeKey(byte[] bytes, int from, int to) {
        long keyBytes = keyEnds[entry] - (entry == 0 ? begin : valueEnds[entry - 1]);
        if (taken == 0) {
            keys[entry] = new byte[(int) Math.min(KeyHead.BYTES, keyBytes)];
        }
        byte[] key = keys[entry];
        int part = Math.min(key.length - taken, to - from);
        System.arraycopy(bytes, from, key, taken, part);
        taken += part;
        next += part;
        if (taken < key.length) {
            return;
        }
        if (entry > 0 && !KeyHead.isBefore(keys[entry - 1], key)) {
            fault = Fault.ORDER;
        }
        taken = 0;
        next = keyEnds[entry];
        long valueBytes = valueEnds[entry] - next;
        inValue = valueBytes > 0;
        check.begin(key, 0, (int) keyBytes, valueBytes);
        name = StoredFacts.name(key, 0, (int) keyBytes, valueBytes)
                .or(() -> StoredMembers.name(key, 0, (int) keyBytes, valueBytes));
        value = BoltPage.NONE;
        valueTaken = 0;
        if (!inValue) {
            endEntry();
        }
    }

    private void takeValue(byte[] bytes, int from, int to) {
        int given = (int) Math.min(to - from, valueEnds[entry] - next);
        if (valueTaken == 0) {
            name = name.filter(_ -> hasRoom(bytes[from]));
        }
        if (name.isPresent()) {
            System.arraycopy(bytes, from, value, valueTaken, given);
            valueTaken += given;
            // no key of such a value is a revision, so there is nothing to check
            next += given;
        } else {
            next += check.accept(bytes, from, from + given);
        }
        if (next == valueEnds[entry]) {
            endEntry();
        }
    }

    /** Whether a value that begins so is kept; one that is not leaves the list of them a part. */
    private boolean hasRoom(byte first) {
        int bytes = (int) (valueEnds[entry] - keyEnds[entry]);
        boolean member =
                StoredMembers.name(keys[entry], 0, keys[entry].length, bytes).isPresent();
        if (member && !StoredMembers.begins(first) || !room.take(bytes)) {
            return false;
        }
        kept += bytes;
        value = new byte[bytes];
        return true;
    }

    private void endEntry() {
        name.ifPresent(key -> known.put(key, value));
        revisions &= check.end();
        inValue = false;
        entry++;
    }

    /** What is kept of it; it is {@linkplain #isComplete complete}. */
    BoltPage page() {
        if (isFaulty()) {
            return BoltPage.faulty(pages, fault);
        }
        if (branch) {
            return BoltPage.branch(pages, keys, children);
        }
        int count = keys.length;
        return BoltPage.leaf(
                pages,
                count == 0 ? BoltPage.NONE : keys[0],
                count == 0 ? BoltPage.NONE : keys[count - 1],
                List.of(),
                new Entries(count, sum, revisions, Map.copyOf(known)));
    }
}
