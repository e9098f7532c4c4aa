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

    /** More bytes than type, sum and length of a record take. */
    private static final int HEAD = 32;

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
        return frame(CHECKSUM, new byte[0]);
    }

    public WalFile record(int type, UnknownFieldSet.Builder content) {
        return record(type, content.build().toByteArray());
    }

    /** A record of any bytes. */
    public WalFile record(int type, byte[] content) {
        sum = WalReader.crc32c(sum, content);
        return frame(type, content);
    }

    /** Type, sum and, unless it is empty, data: by hand, as there are millions in some files. */
    private WalFile frame(int type, byte[] data) {
        byte[] fields = new byte[HEAD];
        int at = 0;
        fields[at++] = 8;
        fields[at++] = (byte) type;
        fields[at++] = 2 * 8;
        at = varint(Integer.toUnsignedLong(sum), fields, at);
        if (data.length > 0) {
            fields[at++] = 3 * 8 + 2;
            at = varint(data.length, fields, at);
        }
        int length = at + data.length;
        int padding = (8 - length % 8) % 8;
        long frame = length | (padding == 0 ? 0 : (0x80L | padding) << 56);
        file.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(frame)
                .array());
        file.write(fields, 0, at);
        file.writeBytes(data);
        return zeros(padding);
    }

    /** Writes a number of a message; returns where it ends. */
    static int varint(long value, byte[] into, int at) {
        int end = at;
        long rest = value;
        for (; (rest & ~0x7fL) != 0; rest >>>= 7) {
            into[end++] = (byte) (rest & 0x7f | 0x80);
        }
        into[end++] = (byte) rest;
        return end;
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
