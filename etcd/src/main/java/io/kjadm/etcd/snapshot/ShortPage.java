package io.kjadm.etcd.snapshot;

import io.kjadm.etcd.snapshot.BoltPage.Bucket;
import io.kjadm.etcd.snapshot.BoltPage.Entries;
import io.kjadm.etcd.snapshot.BoltPage.Fault;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads a page that overflows to no other, or that of a bucket within a leaf. What it makes of one
 * is bounded by the page's bytes, whatever those are: its elements have to lie one behind the other,
 * and a bucket within a bucket is not looked into.
 */
final class ShortPage {

    private final byte[] bytes;
    private final int start;
    private final int end;
    private final int count;

    private ShortPage(byte[] bytes, int start, int length) {
        this.bytes = bytes;
        this.start = start;
        this.end = start + length;
        this.count = BoltPage.count(bytes, start);
    }

    /**
     * Reads one.
     *
     * @param start  where it begins
     * @param length its bytes
     */
    static BoltPage read(byte[] bytes, int start, int length) {
        ShortPage page = new ShortPage(bytes, start, length);
        return BoltPage.isBranch(bytes, start) ? page.branch() : page.leaf(1);
    }

    private static BoltPage inline(byte[] bytes, int start, int length) {
        if (length < BoltPage.HEADER_BYTES
                || !BoltPage.isLeaf(bytes, start)
                || BoltPage.overflow(bytes, start) > 0) {
            return BoltPage.faulty(0, Fault.OUTSIDE);
        }
        return new ShortPage(bytes, start, length).leaf(0);
    }

    private int element(int index) {
        return start + BoltPage.HEADER_BYTES + index * BoltPage.ELEMENT_BYTES;
    }

    private BoltPage branch() {
        if (count == 0) {
            return BoltPage.faulty(1, Fault.NOWHERE);
        }
        byte[][] keys = new byte[count][];
        long[] children = new long[count];
        int next = element(count);
        int before = next;
        for (int i = 0; i < count; i++) {
            int element = element(i);
            if (element + BoltPage.ELEMENT_BYTES > end) {
                return BoltPage.faulty(1, Fault.OUTSIDE);
            }
            long length = Little.unsigned32(bytes, element + 4);
            if (element + Little.unsigned32(bytes, element) != next) {
                return BoltPage.faulty(1, Fault.APART);
            }
            if (next > end || length > end - next) {
                return BoltPage.faulty(1, Fault.OUTSIDE);
            }
            int keyEnd = next + (int) length;
            if (i > 0 && Arrays.compareUnsigned(bytes, before, next, bytes, next, keyEnd) >= 0) {
                return BoltPage.faulty(1, Fault.ORDER);
            }
            keys[i] = KeyHead.of(bytes, next, (int) length);
            children[i] = Little.signed64(bytes, element + 8);
            if (!BoltPage.isNumber(children[i])) {
                return BoltPage.faulty(1, Fault.NOWHERE);
            }
            before = next;
            next = keyEnd;
        }
        return BoltPage.branch(1, keys, children);
    }

    /** @param pages none for that of a bucket within a leaf */
    private BoltPage leaf(int pages) {
        int from = element(count);
        int next = from;
        int keyAt = next;
        int keyEnd = next;
        LeafEntries entries = new LeafEntries();
        for (int i = 0; i < count; i++) {
            int element = element(i);
            if (element + BoltPage.ELEMENT_BYTES > end) {
                return BoltPage.faulty(pages, Fault.OUTSIDE);
            }
            if (element + Little.unsigned32(bytes, element + 4) != next) {
                return BoltPage.faulty(pages, Fault.APART);
            }
            long keyBytes = Little.unsigned32(bytes, element + 8);
            long valueBytes = Little.unsigned32(bytes, element + 12);
            if (next > end || keyBytes + valueBytes > end - next) {
                return BoltPage.faulty(pages, Fault.OUTSIDE);
            }
            int beforeAt = keyAt;
            int beforeEnd = keyEnd;
            keyAt = next;
            keyEnd = next + (int) keyBytes;
            next = keyEnd + (int) valueBytes;
            if (i > 0
                    && Arrays.compareUnsigned(bytes, beforeAt, beforeEnd, bytes, keyAt, keyEnd)
                            >= 0) {
                return BoltPage.faulty(pages, Fault.ORDER);
            }
            if (Little.unsigned32(bytes, element) == BoltPage.BUCKET_ENTRY) {
                if (pages == 0 || valueBytes < BoltPage.BUCKET_BYTES) {
                    return BoltPage.faulty(pages, Fault.NESTED);
                }
                entries.addBucket(keyAt, keyEnd, next);
            } else {
                entries.add(keyAt, keyEnd, next);
            }
        }
        return BoltPage.leaf(
                pages,
                count == 0 ? BoltPage.NONE : firstKey(from),
                KeyHead.of(bytes, keyAt, keyEnd - keyAt),
                List.copyOf(entries.buckets),
                entries.sum());
    }

    private byte[] firstKey(int from) {
        return KeyHead.of(bytes, from, (int) Little.unsigned32(bytes, element(0) + 8));
    }

    /** Adds up the entries of a leaf. */
    private final class LeafEntries {

        private final List<Bucket> buckets = new ArrayList<>();
        private final CRC32C crc = new CRC32C();
        private final RevisionCheck check = new RevisionCheck();
        private Map<String, byte[]> known = Map.of();
        private long length;
        private int number;
        private boolean revisions = true;

        void add(int keyAt, int valueAt, int valueEnd) {
            number++;
            crc.update(bytes, keyAt, valueEnd - keyAt);
            length += valueEnd - keyAt;
            revisions = revisions && check.whole(bytes, keyAt, valueAt, valueEnd);
            int keyBytes = valueAt - keyAt;
            int valueBytes = valueEnd - valueAt;
            StoredFacts.name(bytes, keyAt, keyBytes, valueBytes)
                    .or(() -> StoredMembers.name(bytes, keyAt, keyBytes, valueBytes)
                            .filter(_ -> StoredMembers.begins(bytes[valueAt])))
                    .ifPresent(name -> {
                        known = known.isEmpty() ? new HashMap<>() : known;
                        known.put(name, Arrays.copyOfRange(bytes, valueAt, valueEnd));
                    });
        }

        /** A bucket of few entries has them in the place of its page. */
        void addBucket(int keyAt, int valueAt, int valueEnd) {
            long root = Little.signed64(bytes, valueAt);
            int page = valueAt + BoltPage.BUCKET_BYTES;
            buckets.add(new Bucket(
                    Arrays.copyOfRange(bytes, keyAt, valueAt),
                    root,
                    root == 0
                            ? Optional.of(inline(bytes, page, valueEnd - page))
                            : Optional.empty()));
        }

        Entries sum() {
            return number == 0
                    ? Entries.NONE
                    : new Entries(
                            number,
                            new Crc32cSum((int) crc.getValue(), length),
                            revisions,
                            Map.copyOf(known));
        }
    }
}
