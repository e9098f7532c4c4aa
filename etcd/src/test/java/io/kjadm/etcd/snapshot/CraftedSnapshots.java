package io.kjadm.etcd.snapshot;

import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Databases that are whole, with free pages that are made to cost a reader memory or time: a client
 * of etcd gets such pages into a database by putting a long value, and who makes a file by writing
 * it. As a program, it reads each and prints its name, the verdict, and the time that it took.
 */
final class CraftedSnapshots {

    private static final int PAGE = SnapshotBytes.PAGE;
    private static final int MIB = 1 << 20;
    private static final int BRANCH = 1;
    private static final int LEAF = 2;
    private static final int REVISIONS = 120;

    private CraftedSnapshots() {}

    /** Makes one page, or several that follow one another. */
    @FunctionalInterface
    interface Pages {

        /**
         * @param number of the first page
         * @return their bytes
         */
        byte[] from(int number);
    }

    /** All of them by their names, with pages that are repeated up to the end. */
    static Map<String, Pages> all() {
        Map<String, Pages> all = new TreeMap<>();
        all.put("buckets within buckets, two at each level", CraftedSnapshots::doubling);
        all.put("buckets within buckets, thousands of levels", CraftedSnapshots::deep);
        all.put("keys of a branch that share their bytes", CraftedSnapshots::sharedKeys);
        all.put("pages that overflow into one another", CraftedSnapshots::overlapping);
        all.put("pages that overflow, one at each page", CraftedSnapshots::longLeaf);
        all.put("branches with as many keys as they can have", CraftedSnapshots::branch);
        all.put("leaves with keys as long as they can be", CraftedSnapshots::longKeys);
        all.put("leaves of buckets", CraftedSnapshots::buckets);
        all.put("leaves that look like those of members", CraftedSnapshots::members);
        all.put(
                "leaves that overflow and look like those of members",
                CraftedSnapshots::longMembers);
        all.put("the same, one at each page", CraftedSnapshots::overlappingMembers);
        return all;
    }

    public static void main(String[] sizes) throws IOException {
        for (String name : all().keySet()) {
            for (String mebibytes : sizes) {
                read(name, mebibytes);
            }
        }
    }

    /** A program that reads one of them. */
    static final class One {

        private One() {}

        public static void main(String[] nameAndSize) throws IOException {
            read(nameAndSize[0], nameAndSize[1]);
        }
    }

    private static void read(String name, String mebibytes) throws IOException {
        long before = cpuMillis();
        String verdict = verdict(all().get(name), Integer.parseInt(mebibytes));
        System.out.printf(
                "%s, %s MiB: %s in %d ms%n", name, mebibytes, verdict, cpuMillis() - before);
    }

    private static long cpuMillis() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000;
    }

    /** Reads one as it is made. */
    static String verdict(Pages pages, int mebibytes) throws IOException {
        SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
        int count = mebibytes * (MIB / PAGE);
        int own = SnapshotBytes.database(REVISIONS, 0).length / PAGE;
        verifier.write(SnapshotBytes.database(REVISIONS, count - own));
        for (int number = own; number < count; ) {
            byte[] next = pages.from(number);
            int length = Math.min(next.length, (count - number) * PAGE);
            verifier.write(next, 0, length);
            number += length / PAGE;
        }
        return switch (verifier.verdict()) {
            case Verdict.Whole whole -> "whole at revision " + whole.content().revision();
            case Verdict.Damaged(String why) -> why;
        };
    }

    private static ByteBuffer page(int number, int kind, int count, int pages) {
        return ByteBuffer.allocate(pages * PAGE)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(number)
                .putShort((short) kind)
                .putShort((short) count)
                .putInt(pages - 1);
    }

    private static void leafElement(ByteBuffer page, int flags, int keyAt, int key, int value) {
        page.putInt(flags).putInt(keyAt - page.position() + 4).putInt(key).putInt(value);
    }

    /** At each level two entries, whose values are one and the same page. */
    private static byte[] doubling(int number) {
        ByteBuffer page = page(number, LEAF, 2, 1);
        while (page.remaining() >= 64 + 48) {
            int value = page.position() + 32;
            int length = PAGE - value;
            leafElement(page, 1, value, 0, length);
            leafElement(page, 1, value - 1, 1, length);
            page.position(value + 16)
                    .putLong(0)
                    .putShort((short) LEAF)
                    .putShort((short) 2)
                    .putInt(0);
        }
        return page.array();
    }

    private static byte[] deep(int number) {
        ByteBuffer page = page(number, LEAF, 1, 256);
        while (page.remaining() >= 96) {
            int value = page.position() + 16;
            leafElement(page, 1, value, 0, page.capacity() - value);
            page.position(value + 16)
                    .putLong(0)
                    .putShort((short) LEAF)
                    .putShort((short) 1)
                    .putInt(0);
        }
        return page.array();
    }

    private static byte[] sharedKeys(int number) {
        int count = 30_000;
        ByteBuffer page = page(number, BRANCH, count, 256);
        int region = page.position() + count * 16;
        for (int i = 0; i < count; i++) {
            page.putInt(region - page.position()).putInt(i + 1).putLong(5);
        }
        return page.array();
    }

    /** One that is as long as one may be, and before it ends the next. */
    private static byte[] overlapping(int number) {
        return number % 16_000 == 50 ? longLeaf(number) : new byte[PAGE];
    }

    /** The first page of one with a value of nearly 64 MiB. */
    private static byte[] longLeaf(int number) {
        int pages = 16_384;
        ByteBuffer page = ByteBuffer.allocate(PAGE).order(ByteOrder.LITTLE_ENDIAN);
        page.putLong(number).putShort((short) LEAF).putShort((short) 1).putInt(pages - 1);
        leafElement(page, 0, page.position() + 16, 17, (pages - 1) * PAGE);
        return page.put(StoredRevision.key(2, 0)).array();
    }

    private static byte[] branch(int number) {
        int key = 8;
        int count = (PAGE - 16) / (16 + key);
        ByteBuffer page = page(number, BRANCH, count, 1);
        SplittableRandom random = new SplittableRandom(number);
        int keys = page.position() + count * 16;
        for (int i = 0; i < count; i++) {
            page.putInt(keys + i * key - page.position())
                    .putInt(key)
                    .putLong(random.nextInt(1 << 30));
        }
        for (int i = 0; i < count; i++) {
            page.put((byte) i).putInt(random.nextInt()).putShort((short) random.nextInt());
            page.put((byte) random.nextInt());
        }
        return page.array();
    }

    private static byte[] longKeys(int number) {
        int key = (PAGE - 16) / 2 - 16;
        ByteBuffer page = page(number, LEAF, 2, 1);
        leafElement(page, 0, 48, key, 0);
        leafElement(page, 0, 48 + key, key, 0);
        byte[] bytes = new byte[key];
        for (int i = 1; i <= 2; i++) {
            new SplittableRandom(number * 2 + i).nextBytes(bytes);
            bytes[0] = (byte) i;
            page.put(bytes);
        }
        return page.array();
    }

    private static byte[] buckets(int number) {
        int size = 2 + 16 + 16;
        int count = (PAGE - 16) / (16 + size);
        ByteBuffer page = page(number, LEAF, count, 1);
        int data = page.position() + count * 16;
        for (int i = 0; i < count; i++) {
            leafElement(page, 1, data + i * size, 2, size - 2);
        }
        for (int i = 0; i < count; i++) {
            page.put((byte) 'b').put((byte) i).putLong(0).putLong(0);
            page.putLong(0).putShort((short) LEAF).putShort((short) 0).putInt(0);
        }
        return page.array();
    }

    private static byte[] members(int number) {
        int size = 2 + 30;
        int count = (PAGE - 16) / (16 + size);
        ByteBuffer page = page(number, LEAF, count, 1);
        int data = page.position() + count * 16;
        for (int i = 0; i < count; i++) {
            leafElement(page, 0, data + i * size, 2, size - 2);
        }
        for (int i = 0; i < count; i++) {
            page.put("%02x{%28d}".formatted(i, number).getBytes());
        }
        return page.array();
    }

    /** Four values as long as a member's may be. */
    private static byte[] longMembers(int number) {
        int value = 16 * 1024;
        ByteBuffer page = page(number, LEAF, 4, 17);
        for (int i = 0; i < 4; i++) {
            leafElement(page, 0, 16 + 4 * 16 + i * (2 + value), 2, value);
        }
        for (int i = 0; i < 4; i++) {
            page.put("0%d{".formatted(i).getBytes());
            page.position(page.position() + value - 1);
        }
        return page.array();
    }

    /** The first page of one of which the first value is a member's, and the second has no end. */
    private static byte[] overlappingMembers(int number) {
        int pages = 16_384;
        ByteBuffer page = ByteBuffer.allocate(PAGE).order(ByteOrder.LITTLE_ENDIAN);
        page.putLong(number).putShort((short) LEAF).putShort((short) 2).putInt(pages - 1);
        leafElement(page, 0, 48, 2, 16 * 1024);
        leafElement(page, 0, 48 + 2 + 16 * 1024, 17, (pages - 6) * PAGE);
        return page.put("01{".getBytes()).array();
    }
}
