package io.kjadm.e2e.claims;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A range of addresses.
 *
 * @param first its first address
 * @param prefixBits how many leading bits its addresses share
 */
record Subnet(InetAddress first, int prefixBits) {

    /** Reads {@code ADDRESS/BITS}, or one address. */
    static Subnet parse(String text) {
        var parts = text.split("/", 2);
        try {
            var address = InetAddress.getByName(parts[0]);
            return new Subnet(
                    address,
                    parts.length == 2
                            ? Integer.parseInt(parts[1])
                            : address.getAddress().length * Byte.SIZE);
        } catch (UnknownHostException e) {
            throw new AssertionError(text + " is no address", e);
        }
    }

    boolean holds(Subnet part) {
        return first.getClass() == part.first.getClass()
                && part.prefixBits >= prefixBits
                && prefix(first).equals(prefix(part.first));
    }

    private BigInteger prefix(InetAddress address) {
        var bits = address.getAddress().length * Byte.SIZE;
        return new BigInteger(1, address.getAddress()).shiftRight(bits - prefixBits);
    }

    @Override
    public String toString() {
        return first.getHostAddress() + "/" + prefixBits;
    }
}
