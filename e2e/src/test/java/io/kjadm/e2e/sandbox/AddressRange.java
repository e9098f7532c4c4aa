package io.kjadm.e2e.sandbox;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A range of addresses, of which services and nodes get parts.
 *
 * @param first its first address
 * @param prefixBits how many leading bits all of its addresses share
 */
record AddressRange(InetAddress first, int prefixBits) {

    /** Reads {@code ADDRESS/BITS}. */
    static AddressRange parse(String cidr) {
        var parts = cidr.strip().split("/", 2);
        return new AddressRange(address(parts[0]), Integer.parseInt(parts[1]));
    }

    boolean ipv6() {
        return bits() == 128;
    }

    /** The {@code i}th address, counted from 0. */
    String address(long i) {
        return plus(BigInteger.valueOf(i)).getHostAddress();
    }

    /** The {@code i}th part of it whose addresses share {@code partBits} bits, from 0. */
    String part(long i, int partBits) {
        return plus(BigInteger.valueOf(i).shiftLeft(bits() - partBits)).getHostAddress()
                + "/"
                + partBits;
    }

    private int bits() {
        return first.getAddress().length * Byte.SIZE;
    }

    private InetAddress plus(BigInteger distance) {
        var sum = new BigInteger(1, first.getAddress()).add(distance).toByteArray();
        var bytes = new byte[first.getAddress().length];
        for (int i = 1; i <= Math.min(bytes.length, sum.length); i++) {
            bytes[bytes.length - i] = sum[sum.length - i];
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(text + " is no address", e);
        }
    }
}
