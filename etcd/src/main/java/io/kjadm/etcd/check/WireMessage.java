package io.kjadm.etcd.check;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A message of protobuf as it lies in memory. Fields are looked up where they are, and nothing is
 * copied: a message of many small fields would take twenty times its size as objects.
 */
public final class WireMessage {

    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIXED32 = 5;
    private static final int BITS = 7;

    private final byte[] bytes;
    private final int begin;
    private final int end;

    private WireMessage(byte[] bytes, int begin, int end) {
        this.bytes = bytes;
        this.begin = begin;
        this.end = end;
    }

    /** One that has all of the bytes, which may change when it is no longer used. */
    public static WireMessage of(byte[] bytes) {
        return of(bytes, bytes.length);
    }

    /** The same for those that come first. */
    static WireMessage of(byte[] bytes, int length) {
        return new WireMessage(bytes, 0, length);
    }

    /** Goes from field to field. */
    private final class Fields {

        private int at = begin;
        private long field;
        private int kind;
        /** The value of a varint. */
        private long number;

        private int valueAt;
        private int valueEnd;
        private boolean damaged;

        /** Whether there is another one. */
        boolean next() {
            if (damaged || at == end) {
                return false;
            }
            long tag = varint();
            field = tag >>> 3;
            kind = (int) (tag & 7);
            valueAt = at;
            switch (kind) {
                case VARINT -> number = damaged ? 0 : varint();
                case FIXED64 -> skip(Long.BYTES);
                case FIXED32 -> skip(Integer.BYTES);
                case LENGTH_DELIMITED -> {
                    long length = damaged ? 0 : varint();
                    valueAt = at;
                    skip(length);
                }
                default -> damaged = true;
            }
            damaged |= field == 0;
            valueEnd = at;
            return !damaged;
        }

        private void skip(long length) {
            if (length < 0 || length > end - at) {
                damaged = true;
            } else {
                at += (int) length;
            }
        }

        private long varint() {
            long value = 0;
            for (int shift = 0; shift < Long.SIZE && at < end; shift += BITS) {
                byte part = bytes[at];
                at++;
                value |= (long) (part & 0x7f) << shift;
                if (part >= 0) {
                    return value;
                }
            }
            damaged = true;
            return 0;
        }
    }

    /** Whether it can be one from its first byte to its last. */
    public boolean isWhole() {
        Fields fields = new Fields();
        while (fields.next()) {
            // as long as there are some
        }
        return !fields.damaged;
    }

    /** The first number of a field. */
    public OptionalLong number(int field) {
        for (Fields fields = new Fields(); fields.next(); ) {
            if (fields.field == field && fields.kind == VARINT) {
                return OptionalLong.of(fields.number);
            }
        }
        return OptionalLong.empty();
    }

    /** The first content of a field, which may be a message. */
    public Optional<WireMessage> content(int field) {
        for (Fields fields = new Fields(); fields.next(); ) {
            if (fields.field == field && fields.kind == LENGTH_DELIMITED) {
                return Optional.of(new WireMessage(bytes, fields.valueAt, fields.valueEnd));
            }
        }
        return Optional.empty();
    }

    /**
     * The first content of a field as text.
     *
     * @return no text if there is none, or one of more bytes than so many
     */
    public String text(int field, int mostBytes) {
        return content(field)
                .filter(found -> found.length() <= mostBytes)
                .map(found ->
                        new String(bytes, found.begin, found.length(), StandardCharsets.UTF_8))
                .orElse("");
    }

    /** How many bytes it has. */
    public int length() {
        return end - begin;
    }

    /** Whether its first byte is that one. */
    public boolean beginsWith(byte first) {
        return end > begin && bytes[begin] == first;
    }

    /** CRC-32C of its bytes that goes on from an earlier sum. */
    int crc32c(int sum) {
        return WalReader.crc32c(sum, bytes, begin, end);
    }
}
