package io.kjadm.core.snapshot;

import io.kjadm.etcd.Sha256;

import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Passes bytes on and adds them up; what is behind it is left open when this is closed. */
final class SummedOutput extends OpenOutput {

    private final MessageDigest digest = Sha256.digest();
    private long size;

    SummedOutput(OutputStream to) {
        super(to);
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        digest.update(bytes, offset, length);
        size += length;
    }

    long size() {
        return size;
    }

    /** In hexadecimal digits; to be asked once. */
    String sha256Hex() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
