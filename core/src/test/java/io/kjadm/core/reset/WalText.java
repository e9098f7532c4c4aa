package io.kjadm.core.reset;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** A write-ahead log of one record: whose it is. */
public final class WalText {

    private WalText() {}

    public static byte[] of(long member, long cluster) {
        ByteArrayOutputStream metadata = new ByteArrayOutputStream();
        number(metadata, 1, member);
        number(metadata, 2, cluster);
        CRC32C sum = new CRC32C();
        sum.update(metadata.toByteArray());
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        number(record, 1, 1);
        number(record, 2, sum.getValue());
        record.write(3 << 3 | 2);
        record.write(metadata.size());
        record.writeBytes(metadata.toByteArray());
        int padding = (8 - record.size() % 8) % 8;
        long frame = record.size() | (padding == 0 ? 0 : (0x80L | padding) << 56);
        return ByteBuffer.allocate(8 + record.size() + padding).order(ByteOrder.LITTLE_ENDIAN)
                .putLong(frame)
                .put(record.toByteArray()).array();
    }

    private static void number(ByteArrayOutputStream to, int field, long value) {
        to.write(field << 3);
        long rest = value;
        for (; rest >>> 7 != 0; rest >>>= 7) {
            to.write((int) (rest & 0x7f | 0x80));
        }
        to.write((int) rest);
    }
}
