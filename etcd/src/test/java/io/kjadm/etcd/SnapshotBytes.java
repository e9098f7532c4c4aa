package io.kjadm.etcd;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Snapshots as etcd sends them: a bolt database, page by page, and its SHA-256. */
public final class SnapshotBytes {

    /** Of the database's pages. */
    public static final int PAGE = 4096;

    private static final int HEADER = 16;
    private static final int ELEMENT = 16;
    private static final int META_AT = 16;
    private static final int SUM_AT = 56;
    private static final int PER_LEAF = 50;
    private static final int ROOT = 2;
    /** A longer bucket has its own page. */
    private static final int LONGEST_INLINE = PAGE / 4;

    /** By how much a restore raises the revision. */
    public static final long RAISED_BY = 1_000_000_000;

    private boolean raised;
    /** The entry of the log that is applied. */
    private long applied = 9;

    private final List<byte[]> pages = new ArrayList<>(List.of(new byte[0], new byte[0]));

    private final List<Entry> members = new ArrayList<>();

    private SnapshotBytes() {}

    /** An entry of a leaf. */
    private record Entry(boolean bucket, byte[] key, byte[] value) {}

    /** A snapshot with the revisions from 2 on, so many of them; its pages are 2, 3 and more. */
    public static byte[] ofRevisions(int count) {
        return summed(database(count, 0));
    }

    /**
     * A database with so many revisions.
     *
     * @param more pages than there are that it tells of
     */
    public static byte[] database(int revisions, long more) {
        return new SnapshotBytes().make(1, revisions, new byte[10], more);
    }

    /** A database that lists members. */
    public static byte[] listing(List<Member> members) {
        return listing(members, 9);
    }

    /** The same, of a member that has applied so much of its log. */
    public static byte[] listing(List<Member> members, long applied) {
        SnapshotBytes bytes = new SnapshotBytes();
        bytes.applied = applied;
        members.stream()
                .sorted(Comparator.comparing(member -> member.id().toString()))
                .forEach(member -> bytes.members.add(new Entry(
                        false,
                        member.id().toString().getBytes(StandardCharsets.UTF_8),
                        stored(member).getBytes(StandardCharsets.UTF_8))));
        return bytes.make(1, 20, new byte[10], 0);
    }

    /** How etcd stores a member. */
    public static String stored(Member member) {
        return "{\"id\":%s,\"peerURLs\":%s,\"name\":\"%s\",\"clientURLs\":%s%s}"
                .formatted(
                        Long.toUnsignedString(member.id().value()),
                        quoted(member.peerUrls()),
                        member.name(),
                        quoted(member.clientUrls()),
                        member.learner() ? ",\"isLearner\":true" : "");
    }

    private static String quoted(List<URI> urls) {
        return urls.stream().map(url -> "\"" + url + "\"").toList().toString();
    }

    /** A snapshot of one key, which was changed last with that revision. */
    public static byte[] atRevision(long revision) {
        return summed(new SnapshotBytes().make(revision - 1, 1, new byte[10], 0));
    }

    /** A snapshot of a key whose value needs several pages. */
    public static byte[] withValue(byte[] value) {
        return summed(new SnapshotBytes().make(1, 1, value, 0));
    }

    /** A snapshot whose revision was raised by a restore, as {@code etcdutl} leaves it. */
    public static byte[] restored(int revisions) {
        SnapshotBytes bytes = new SnapshotBytes();
        bytes.raised = true;
        return summed(bytes.make(1, revisions, new byte[10], 0));
    }

    private byte[] make(long before, int revisions, byte[] value, long more) {
        pages.add(new byte[PAGE]);
        List<Entry> leaf = new ArrayList<>();
        List<Long> children = new ArrayList<>();
        List<byte[]> firsts = new ArrayList<>();
        for (int i = 1; i <= revisions; i++) {
            leaf.add(new Entry(false, revision(before + i), keyValue(before + i, value)));
            if (raised && i == revisions) {
                leaf.add(new Entry(false, revision(before + i + RAISED_BY), new byte[0]));
            }
            if (leaf.size() >= PER_LEAF || i == revisions) {
                firsts.add(leaf.getFirst().key());
                children.add(add(leaf(pageCount(), leaf)));
                leaf.clear();
            }
        }
        if (children.isEmpty()) {
            children.add(add(leaf(pageCount(), List.of())));
        }
        long keys = children.size() == 1
                ? children.getFirst()
                : add(branch(pageCount(), firsts, children));
        Entry index = new Entry(
                false, "consistent_index".getBytes(StandardCharsets.UTF_8), number(applied));
        List<Entry> buckets = new ArrayList<>();
        buckets.add(
                new Entry(true, "key".getBytes(StandardCharsets.UTF_8), bucket(keys, new byte[0])));
        if (!members.isEmpty()) {
            byte[] inline = unpadded(0, members);
            buckets.add(new Entry(
                    true,
                    "members".getBytes(StandardCharsets.UTF_8),
                    inline.length <= LONGEST_INLINE
                            ? bucket(0, inline)
                            : bucket(add(leaf(pageCount(), members)), new byte[0])));
        }
        buckets.add(new Entry(
                true,
                "meta".getBytes(StandardCharsets.UTF_8),
                bucket(0, unpadded(0, List.of(index)))));
        pages.set(ROOT, leaf(ROOT, buckets));
        int count = (int) pageCount();
        for (int page = 0; page < 2; page++) {
            pages.set(page, meta(page, count + more));
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        pages.forEach(all::writeBytes);
        return all.toByteArray();
    }

    private long pageCount() {
        return pages.stream().mapToInt(page -> Math.max(1, page.length / PAGE)).sum();
    }

    private long add(byte[] page) {
        long number = pageCount();
        pages.add(page);
        return number;
    }

    private static byte[] meta(int page, long highWater) {
        byte[] bytes = new byte[PAGE];
        little(bytes, 0).putLong(0, page).putShort(8, (short) 4);
        ByteBuffer meta = little(bytes, META_AT);
        meta.putInt(0, 0xED0CDAED).putInt(4, 2).putInt(8, PAGE).putInt(12, 0);
        meta.putLong(16, ROOT).putLong(40, highWater).putLong(48, 10 - page);
        meta.putLong(SUM_AT, fnv(bytes, META_AT));
        return bytes;
    }

    private static byte[] leaf(long number, List<Entry> entries) {
        byte[] raw = unpadded(number, entries);
        int count = (raw.length + PAGE - 1) / PAGE;
        little(raw, 0).putInt(12, count - 1);
        return Arrays.copyOf(raw, count * PAGE);
    }

    private static byte[] unpadded(long number, List<Entry> entries) {
        int data = entries.stream()
                .mapToInt(entry -> entry.key().length + entry.value().length)
                .sum();
        byte[] bytes = new byte[HEADER + entries.size() * ELEMENT + data];
        little(bytes, 0).putLong(0, number).putShort(8, (short) 2);
        little(bytes, 0).putShort(10, (short) entries.size());
        int at = HEADER + entries.size() * ELEMENT;
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            int element = HEADER + i * ELEMENT;
            little(bytes, element)
                    .putInt(0, entry.bucket() ? 1 : 0)
                    .putInt(4, at - element)
                    .putInt(8, entry.key().length)
                    .putInt(12, entry.value().length);
            System.arraycopy(entry.key(), 0, bytes, at, entry.key().length);
            at += entry.key().length;
            System.arraycopy(entry.value(), 0, bytes, at, entry.value().length);
            at += entry.value().length;
        }
        return bytes;
    }

    private static byte[] branch(long number, List<byte[]> firsts, List<Long> children) {
        byte[] bytes = new byte[PAGE];
        little(bytes, 0).putLong(0, number).putShort(8, (short) 1);
        little(bytes, 0).putShort(10, (short) children.size());
        int at = HEADER + children.size() * ELEMENT;
        for (int i = 0; i < children.size(); i++) {
            int element = HEADER + i * ELEMENT;
            byte[] key = firsts.get(i);
            little(bytes, element)
                    .putInt(0, at - element)
                    .putInt(4, key.length)
                    .putLong(8, children.get(i));
            System.arraycopy(key, 0, bytes, at, key.length);
            at += key.length;
        }
        return bytes;
    }

    private static byte[] bucket(long root, byte[] inline) {
        byte[] value = new byte[16 + inline.length];
        little(value, 0).putLong(0, root);
        System.arraycopy(inline, 0, value, 16, inline.length);
        return value;
    }

    private static byte[] revision(long main) {
        return ByteBuffer.allocate(17).putLong(main).put((byte) '_').putLong(0).array();
    }

    /** Fields key, mod_revision and value of {@code mvccpb.KeyValue}. */
    private static byte[] keyValue(long revision, byte[] value) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes(new byte[] {0x0a, 1, 'k', 0x18});
        varint(message, revision);
        message.write(0x2a);
        varint(message, value.length);
        message.writeBytes(value);
        return message.toByteArray();
    }

    private static void varint(ByteArrayOutputStream to, long value) {
        long rest = value;
        while (rest > 0x7f) {
            to.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        to.write((int) rest);
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static ByteBuffer little(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes, at, bytes.length - at).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** With its SHA-256 behind it. */
    public static byte[] summed(byte[] database) {
        try {
            byte[] all = Arrays.copyOf(database, database.length + 32);
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(database);
            System.arraycopy(sum, 0, all, database.length, sum.length);
            return all;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long fnv(byte[] bytes, int from) {
        long sum = 0xcbf29ce484222325L;
        for (int i = 0; i < SUM_AT; i++) {
            sum ^= bytes[from + i] & 0xff;
            sum *= 0x100000001b3L;
        }
        return sum;
    }
}
