package io.kjadm.core.etcd.check;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/**
 * Snapshots of raft with a store of 64 MiB, which are made as they are read. As a program, it reads
 * each and prints what was found.
 */
final class CraftedStores {

    private static final long STORE_BYTES = 64 << 20;
    private static final byte[] METADATA = {0x12, 2, 0x10, 4};

    private CraftedStores() {}

    public static void main(String[] none) throws IOException {
        read(
                "keys",
                "{\"Root\":{\"Children\":{\"1\":{\"Children\":{",
                "\"0000000\":{},",
                "\"\":0}}}}}");
        read("lists", "{\"Root\":{\"Children\":{\"1\":[", "[\"0000000\"],", "0]}}}");
        read("a value", "{\"Root\":{\"Children\":{\"1\":{\"Value\":\"", "0000000", "\"}}}}");
    }

    private static void read(String name, String begin, String part, String end)
            throws IOException {
        RaftSnapshotFile.Source data =
                () -> sequence(fields(0x0a, STORE_BYTES), new Store(begin, part, end), METADATA);
        CRC32C sum = new CRC32C();
        long length;
        try (InputStream in = new CheckedInputStream(data.open(), sum)) {
            length = in.transferTo(OutputStream.nullOutputStream());
        }
        RaftSnapshotFile.Source file =
                () -> sequence(fields(0x08, sum.getValue()), data.open(), new byte[0], length);
        RaftSnapshotFile found = RaftSnapshotFile.look(file).orElseThrow();
        System.out.printf("%s: %d, %b%n", name, found.index(), found.hasKeys(file));
    }

    private static InputStream sequence(byte[] begin, InputStream middle, byte[] end) {
        return new SequenceInputStream(
                new ByteArrayInputStream(begin),
                new SequenceInputStream(middle, new ByteArrayInputStream(end)));
    }

    private static InputStream sequence(byte[] sum, InputStream data, byte[] end, long length) {
        return sequence(sum, sequence(fields(0x12, length), data, end), end);
    }

    /** A tag and a number. */
    private static byte[] fields(int tag, long number) {
        ByteBuffer bytes = ByteBuffer.allocate(16).put((byte) tag);
        long rest = number;
        for (; rest > 0x7f; rest >>>= 7) {
            bytes.put((byte) (rest & 0x7f | 0x80));
        }
        bytes.put((byte) rest);
        byte[] all = new byte[bytes.position()];
        bytes.flip().get(all);
        return all;
    }

    /** JSON with as many parts as there is room for, and blanks behind it. */
    private static final class Store extends InputStream {

        /** With the digits of its number. */
        private final byte[] part;

        private final int digitsAt;
        private final byte[] end;
        private byte[] current;
        private int at;
        private int number;
        private long left = STORE_BYTES;

        Store(String begin, String part, String end) {
            this.part = bytes(part);
            this.digitsAt = part.indexOf('0');
            this.current = bytes(begin);
            this.end = bytes(end);
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            if (left == 0) {
                return -1;
            }
            if (at == current.length) {
                current = next();
                at = 0;
            }
            int taken = (int) Math.min(left, Math.min(length, current.length - at));
            System.arraycopy(current, at, bytes, offset, taken);
            at += taken;
            left -= taken;
            return taken;
        }

        /** Some, each with its own number. */
        private byte[] parts() {
            byte[] parts = new byte[64 * part.length];
            for (int at = 0; at < parts.length; at += part.length) {
                System.arraycopy(part, 0, parts, at, part.length);
                int rest = number++;
                for (int digit = digitsAt + 6; digit >= digitsAt; digit--, rest /= 10) {
                    parts[at + digit] = (byte) ('0' + rest % 10);
                }
            }
            return parts;
        }

        private byte[] next() {
            if (number >= 0 && left > end.length + 64L * part.length) {
                return parts();
            }
            byte[] last = number >= 0 ? end : bytes(" ");
            number = -1;
            return last;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
