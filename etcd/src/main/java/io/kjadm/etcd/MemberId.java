package io.kjadm.etcd;

/**
 * The ID etcd gave a member: an unsigned 64-bit number, printed as etcd prints it (hexadecimal, no
 * leading zeros).
 */
public record MemberId(long value) implements Comparable<MemberId> {

    /** No member: what a status reports as leader while there is none. */
    public static final MemberId NONE = new MemberId(0);

    /** Reads the hexadecimal form. */
    public static MemberId parse(String hexadecimal) {
        return new MemberId(Long.parseUnsignedLong(hexadecimal, 16));
    }

    public boolean isNone() {
        return value == 0;
    }

    @Override
    public int compareTo(MemberId other) {
        return Long.compareUnsigned(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toHexString(value);
    }
}
