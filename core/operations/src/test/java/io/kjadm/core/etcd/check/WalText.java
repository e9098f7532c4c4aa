package io.kjadm.core.etcd.check;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** A write-ahead log of few records: whose it is, and the version of the cluster if need be. */
public final class WalText {

    private static final int METADATA = 1;
    private static final int ENTRY = 2;

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    /** Goes on from record to record. */
    private final CRC32C sum = new CRC32C();

    private WalText(long member, long cluster) {
        ByteArrayOutputStream metadata = new ByteArrayOutputStream();
        number(metadata, 1, member);
        number(metadata, 2, cluster);
        record(METADATA, metadata.toByteArray());
    }

    public static byte[] of(long member, long cluster) {
        return new WalText(member, cluster).file.toByteArray();
    }

    /** One that has seen the cluster get that version. */
    public static byte[] of(long member, long cluster, String version) {
        WalText log = new WalText(member, cluster);
        byte[] set = bytes(1, version.getBytes(StandardCharsets.US_ASCII));
        log.record(ENTRY, bytes(4, bytes(1300, set)));
        return log.file.toByteArray();
    }

    /** One that ends with that entry. */
    public static byte[] of(long member, long cluster, long term, long index) {
        WalText log = new WalText(member, cluster);
        ByteArrayOutputStream entry = new ByteArrayOutputStream();
        number(entry, 2, term);
        number(entry, 3, index);
        log.record(ENTRY, entry.toByteArray());
        return log.file.toByteArray();
    }

    private void record(int type, byte[] data) {
        sum.update(data);
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        number(record, 1, type);
        number(record, 2, sum.getValue());
        record.writeBytes(bytes(3, data));
        int padding = (8 - record.size() % 8) % 8;
        long frame = record.size() | (padding == 0 ? 0 : (0x80L | padding) << 56);
        file.writeBytes(ByteBuffer.allocate(8 + record.size() + padding)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(frame)
                .put(record.toByteArray())
                .array());
    }

    private static void number(ByteArrayOutputStream to, int field, long value) {
        varint(to, (long) field << 3);
        varint(to, value);
    }

    private static byte[] bytes(int field, byte[] content) {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        varint(to, (long) field << 3 | 2);
        varint(to, content.length);
        to.writeBytes(content);
        return to.toByteArray();
    }

    private static void varint(ByteArrayOutputStream to, long value) {
        long rest = value;
        for (; rest >>> 7 != 0; rest >>>= 7) {
            to.write((int) (rest & 0x7f | 0x80));
        }
        to.write((int) rest);
    }
}
