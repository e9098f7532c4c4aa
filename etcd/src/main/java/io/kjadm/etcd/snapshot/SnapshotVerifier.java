package io.kjadm.etcd.snapshot;

import io.kjadm.etcd.Sha256;

import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Passes a snapshot of etcd on and looks at every byte of it: its last 32 bytes have to be the
 * SHA-256 over all bytes before, and those a database whose tree is whole. It needs some 40
 * bytes of memory for each page of it (10 MiB for 1 GiB), whatever its pages and values hold, and
 * time in proportion to its size.
 */
public final class SnapshotVerifier extends OutputStream {

    /** So many bytes at the beginning show whether it is a database of etcd's at all. */
    public static final int START_BYTES = BoltMeta.HEAD_BYTES;

    private static final int SUM_BYTES = 32;
    private static final int PAGE_BYTES = 512;

    private final OutputStream into;
    /** Over all bytes but the last ones, which may be a sum or not. */
    private final MessageDigest settled = Sha256.digest();

    private final BoltScan scan = new BoltScan();
    private byte[] end = new byte[0];
    private long size;
    private List<String> members = List.of();

    /** What came of a snapshot. */
    public sealed interface Verdict {

        /**
         * It is whole.
         *
         * @param summed whether a sum is behind the database: a copy of a member's file has none
         */
        record Whole(SnapshotContent content, boolean summed) implements Verdict {}

        /**
         * It cannot be used.
         *
         * @param why a clause that begins with "it"
         */
        record Damaged(String why) implements Verdict {}
    }

    /**
     * @param into gets every byte
     */
    public SnapshotVerifier(OutputStream into) {
        this.into = into;
    }

    /**
     * Whether a database of etcd's begins so, for who does not want to read all of what is none.
     *
     * @param start its first {@link #START_BYTES} bytes
     */
    public static boolean begins(byte[] start) {
        return start.length == START_BYTES && BoltMeta.pageSize(start).isPresent();
    }

    /** Whether a file of so many bytes has the sum at its end; a database is of whole pages. */
    public static boolean summed(long size) {
        return size % PAGE_BYTES == SUM_BYTES;
    }

    /** Goes on from what was added up so far: one pass is enough for both sums. */
    private static MessageDigest copy(MessageDigest digest) {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's SHA-256 can be copied", e);
        }
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        into.write(bytes, offset, length);
        size += length;
        byte[] open = end;
        if (open.length > 0) {
            int known = Math.min(open.length, Math.max(0, open.length + length - SUM_BYTES));
            settle(open, 0, known);
            open = Arrays.copyOfRange(open, known, open.length);
        }
        int known = Math.max(0, length - SUM_BYTES);
        settle(bytes, offset, known);
        end = Arrays.copyOf(open, open.length + length - known);
        System.arraycopy(bytes, offset + known, end, open.length, length - known);
    }

    /** They are not the last 32. */
    private void settle(byte[] bytes, int offset, int length) {
        settled.update(bytes, offset, length);
        scan.accept(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        into.flush();
    }

    @Override
    public void close() throws IOException {
        into.close();
    }

    /** How many bytes came. */
    public long size() {
        return size;
    }

    /** The SHA-256 over all of them, in hexadecimal digits, once its end was reached. */
    public String sha256Hex() {
        MessageDigest all = copy(settled);
        all.update(end);
        return HexFormat.of().formatHex(all.digest());
    }

    /**
     * The members of the cluster that it lists, each as etcd stores it, in JSON; none before its
     * {@link #verdict}, or if that is not good.
     */
    public List<String> members() {
        return members;
    }

    /** What it is, once its end was reached; to be asked once. */
    public Verdict verdict() {
        boolean summed = summed(size);
        if (!summed && (size % PAGE_BYTES != 0 || size == 0)) {
            return new Verdict.Damaged(
                    "it ends after %d bytes, in the middle of a page".formatted(size));
        }
        if (!summed) {
            scan.accept(end, 0, end.length);
        } else if (!MessageDigest.isEqual(copy(settled).digest(), end)) {
            return new Verdict.Damaged("the SHA-256 at its end is not that of its %d bytes"
                    .formatted(size - SUM_BYTES));
        }
        long databaseBytes = summed ? size - SUM_BYTES : size;
        try {
            BoltTree tree = scan.end(databaseBytes);
            SnapshotContent content = tree.content(databaseBytes);
            members = tree.members();
            return new Verdict.Whole(content, summed);
        } catch (DamagedSnapshotException e) {
            return new Verdict.Damaged(e.getMessage());
        }
    }
}
