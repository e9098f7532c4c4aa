package io.kjadm.etcd.snapshot;

/**
 * Looks whether an entry is a {@linkplain StoredRevision revision} as etcd stores it, whose value
 * may come in parts. Of a value only the beginning of each field is looked at.
 */
final class RevisionCheck {

    private static final int MOD_REVISION = 3;
    private static final int VARINT = 0;
    private static final int LENGTH_DELIMITED = 2;
    private static final int BITS = 7;

    /** {@code mvccpb.KeyValue} has six. */
    private static final int MOST_FIELDS = 32;

    private boolean revision;
    private boolean deletion;
    private long main;
    /** Bytes of the value that are still to come. */
    private long left;

    private Part part = Part.TAG;
    private long field;
    private int fields;
    private long number;
    private int shift;
    private long told;
    private boolean empty;

    private enum Part {
        TAG,
        NUMBER,
        LENGTH
    }

    /** Whether an entry of which all bytes are there is one. */
    boolean whole(byte[] bytes, int keyAt, int valueAt, int valueEnd) {
        begin(bytes, keyAt, valueAt - keyAt, valueEnd - valueAt);
        accept(bytes, valueAt, valueEnd);
        return end();
    }

    /**
     * Begins with the next entry.
     *
     * @param key        bytes that have the whole key, or {@link KeyHead#BYTES} of it
     * @param at         where it begins
     * @param keyBytes   how long it is
     * @param valueBytes how long its value is
     */
    void begin(byte[] key, int at, int keyBytes, long valueBytes) {
        revision = StoredRevision.matches(key, at, keyBytes);
        deletion = revision && keyBytes > StoredRevision.BYTES;
        main = revision ? StoredRevision.main(key, at) : 0;
        left = valueBytes;
        empty = valueBytes == 0;
        part = Part.TAG;
        fields = 0;
        told = 0;
        number = 0;
        shift = 0;
    }

    /**
     * Looks at the next bytes of the value.
     *
     * @return how many of the value's bytes are not to be looked at, counted from {@code from};
     *     more than were given if some behind them need not be, either
     */
    long accept(byte[] bytes, int from, int to) {
        long at = from;
        while (revision && at < to && left > 0) {
            byte next = bytes[(int) at];
            at++;
            left--;
            number |= (long) (next & 0x7f) << shift;
            shift += BITS;
            if (next >= 0) {
                long skipped = take(number);
                at += skipped;
                left -= skipped;
                number = 0;
                shift = 0;
            } else if (shift >= Long.SIZE) {
                revision = false;
            }
        }
        if (!revision) {
            at += left;
            left = 0;
        }
        return at - from;
    }

    /** Takes a number of the message; returns how many bytes of it are of no interest. */
    private long take(long read) {
        switch (part) {
            case TAG -> {
                field = read >>> 3;
                int kind = (int) (read & 7);
                part = kind == VARINT ? Part.NUMBER : Part.LENGTH;
                fields++;
                revision &= (kind == VARINT || kind == LENGTH_DELIMITED) && fields <= MOST_FIELDS;
            }
            case NUMBER -> {
                told = field == MOD_REVISION ? read : told;
                part = Part.TAG;
            }
            case LENGTH -> {
                part = Part.TAG;
                revision &= read >= 0 && read <= left;
                return revision ? read : 0;
            }
        }
        return 0;
    }

    /** Whether the entry is one; all of its value went by. */
    boolean end() {
        boolean complete = left == 0 && part == Part.TAG && shift == 0;
        return revision && (empty || complete && (deletion || told == main));
    }
}
