package io.kjadm.core.etcd;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Passes a snapshot of etcd on and adds it up: its last 32 bytes have to be the SHA-256 over all
 * bytes before, those are whole pages, and the first two tell of a database of that length.
 */
public final class SnapshotVerifier extends OutputStream {

    private static final int SUM_BYTES = 32;
    private static final int PAGE_BYTES = 512;

    private final OutputStream into;
    private final MessageDigest digest;
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private byte[] end = new byte[0];
    private long size;

    /**
     * @param into gets every byte
     */
    public SnapshotVerifier(OutputStream into) {
        this.into = into;
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        into.write(bytes, offset, length);
        head.write(bytes, offset, Math.min(length, BoltMeta.HEAD_BYTES - head.size()));
        size += length;
        byte[] open = Arrays.copyOf(end, end.length + length);
        System.arraycopy(bytes, offset, open, end.length, length);
        int settled = Math.max(0, open.length - SUM_BYTES);
        digest.update(open, 0, settled);
        end = Arrays.copyOfRange(open, settled, open.length);
    }

    /** How many bytes came. */
    public long size() {
        return size;
    }

    /** Why it is not a whole snapshot, once its end was reached. */
    public Optional<String> fault() {
        if (size % PAGE_BYTES != SUM_BYTES) {
            return Optional.of("it ends after %d bytes, in the middle of a page".formatted(size));
        }
        return MessageDigest.isEqual(digest.digest(), end)
                ? BoltMeta.fault(head.toByteArray(), size - SUM_BYTES)
                : Optional.of("the SHA-256 at its end is not that of its %d bytes"
                        .formatted(size - SUM_BYTES));
    }
}
