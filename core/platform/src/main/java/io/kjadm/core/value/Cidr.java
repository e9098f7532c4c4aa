package io.kjadm.core.value;

import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An IP network. The text may name any address in it; what is kept is its first one.
 *
 * @param network the first address
 * @param prefixBits the length of the network part
 */
public record Cidr(InetAddress network, int prefixBits) {

    public Cidr {
        network = masked(network, prefixBits);
    }

    /** Reads {@code address/bits}. */
    public static Optional<Cidr> parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || !text.substring(slash + 1).matches("[0-9]{1,3}")) {
            return Optional.empty();
        }
        int bits = Integer.parseInt(text.substring(slash + 1));
        return IpAddresses.parse(text.substring(0, slash))
                .filter(address -> bits <= address.getAddress().length * 8)
                .map(address -> new Cidr(address, bits));
    }

    /**
     * Reads networks separated by commas.
     *
     * @throws IllegalArgumentException naming the one that cannot be read
     */
    public static List<Cidr> parseList(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(one -> parse(one)
                        .orElseThrow(() ->
                                new IllegalArgumentException("\"" + one + "\" is not a CIDR")))
                .toList();
    }

    public boolean isIpv6() {
        return network instanceof Inet6Address;
    }

    /** How many bits are left for addresses within the network. */
    public int hostBits() {
        return network.getAddress().length * 8 - prefixBits;
    }

    /** How many addresses there are. */
    public BigInteger size() {
        return BigInteger.ONE.shiftLeft(hostBits());
    }

    /** The address at a position, the network's own address being 0. */
    public InetAddress address(long index) {
        BigInteger position = BigInteger.valueOf(index);
        if (index < 0 || position.compareTo(size()) >= 0) {
            throw new IllegalArgumentException("no address " + index + " in " + text());
        }
        byte[] first = network.getAddress();
        byte[] sum = new BigInteger(1, first).add(position).toByteArray();
        byte[] octets = new byte[first.length];
        int length = Math.min(sum.length, octets.length);
        System.arraycopy(sum, sum.length - length, octets, octets.length - length, length);
        return IpAddresses.address(octets);
    }

    public boolean contains(InetAddress address) {
        return address.getAddress().length == network.getAddress().length
                && masked(address, prefixBits).equals(network);
    }

    /** Whether the two have an address in common. */
    public boolean overlaps(Cidr other) {
        return contains(other.network) || other.contains(network);
    }

    public String text() {
        return IpAddresses.text(network) + "/" + prefixBits;
    }

    @Override
    public String toString() {
        return text();
    }

    private static InetAddress masked(InetAddress address, int bits) {
        byte[] octets = address.getAddress();
        for (int i = 0; i < octets.length; i++) {
            int networkBits = Math.clamp(bits - 8L * i, 0, 8);
            octets[i] &= (byte) (0xff00 >> networkBits);
        }
        return IpAddresses.address(octets);
    }
}
