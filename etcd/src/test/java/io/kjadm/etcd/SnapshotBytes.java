package io.kjadm.etcd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Random;

/** Snapshots as etcd sends them: a bolt database that begins as one, and its SHA-256. */
public final class SnapshotBytes {

    /** Of the database's pages. */
    public static final int PAGE = 4096;

    private static final int META_AT = 16;
    private static final int SUM_AT = 56;

    private SnapshotBytes() {}

    /** A snapshot of so many pages, at least three. */
    public static byte[] ofPages(int pages) {
        byte[] database = database(pages, pages);
        return summed(database);
    }

    /** A database of so many pages that tells of another number of them. */
    public static byte[] database(int pages, long told) {
        byte[] database = new byte[pages * PAGE];
        new Random(7).nextBytes(database);
        for (int page = 0; page < 2; page++) {
            ByteBuffer meta = ByteBuffer.wrap(database, page * PAGE + META_AT, SUM_AT + Long.BYTES)
                    .slice()
                    .order(ByteOrder.LITTLE_ENDIAN);
            meta.putInt(0, 0xED0CDAED).putInt(4, 2).putInt(8, PAGE).putInt(12, 0);
            meta.putLong(40, told).putLong(48, 10 - page);
            meta.putLong(SUM_AT, fnv(database, page * PAGE + META_AT));
        }
        return database;
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
