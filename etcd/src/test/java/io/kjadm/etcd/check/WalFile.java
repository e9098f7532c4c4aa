package io.kjadm.etcd.check;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;

import io.kjadm.etcd.MemberIds;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes a file of etcd's log, record by record, and messages for it. */
public final class WalFile {

    static final int METADATA = 1;
    public static final int ENTRY = 2;
    static final int STATE = 3;
    static final int CHECKSUM = 4;
    public static final int SNAPSHOT = 5;

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private int sum;

    /** The log of a member that has done nothing yet. */
    public static byte[] of(MemberIds ids) {
        return new WalFile()
                .startFile(0)
                .record(
                        METADATA,
                        message()
                                .addField(1, number(ids.memberId().value()))
                                .addField(2, number(Long.parseUnsignedLong(ids.clusterId(), 16))))
                .content();
    }

    public static UnknownFieldSet.Builder message() {
        return UnknownFieldSet.newBuilder();
    }

    public static Field number(long value) {
        return Field.newBuilder().addVarint(value).build();
    }

    public static Field bytes(UnknownFieldSet.Builder nested) {
        return bytes(nested.build().toByteString());
    }

    public static Field bytes(ByteString content) {
        return Field.newBuilder().addLengthDelimited(content).build();
    }

    public static Field string(String text) {
        return bytes(ByteString.copyFromUtf8(text));
    }

    /** Its first record: the sum with which the file before has ended. */
    public WalFile startFile(int sumBefore) {
        sum = sumBefore;
        return frame(message()
                .addField(1, number(CHECKSUM))
                .addField(2, number(Integer.toUnsignedLong(sum))));
    }

    public WalFile record(int type, UnknownFieldSet.Builder content) {
        return record(type, content.build().toByteArray());
    }

    /** A record of any bytes. */
    public WalFile record(int type, byte[] content) {
        ByteString data = ByteString.copyFrom(content);
        sum = WalReader.crc32c(sum, content);
        return frame(message()
                .addField(1, number(type))
                .addField(2, number(Integer.toUnsignedLong(sum)))
                .addField(3, bytes(data)));
    }

    private WalFile frame(UnknownFieldSet.Builder record) {
        byte[] content = record.build().toByteArray();
        int padding = (8 - content.length % 8) % 8;
        long frame = content.length | (padding == 0 ? 0 : (0x80L | padding) << 56);
        file.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(frame)
                .array());
        file.writeBytes(content);
        return zeros(padding);
    }

    /** Room that etcd has not written to yet. */
    public WalFile zeros(int count) {
        file.writeBytes(new byte[count]);
        return this;
    }

    int sum() {
        return sum;
    }

    int size() {
        return file.size();
    }

    public byte[] content() {
        return file.toByteArray();
    }
}
