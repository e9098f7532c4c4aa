package io.kjadm.core.value;

import io.kjadm.manifests.AddressText;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * IP addresses as text. The JDK's own parser asks the resolver for what it does not recognise, so
 * there is one here.
 */
public final class IpAddresses {

    private IpAddresses() {}

    /**
     * Reads an IPv4 or IPv6 address, never a name. Leading zeros of IPv4 numbers are decimal; an
     * IPv4-mapped IPv6 address is that IPv4 address; zones and prefix lengths are refused.
     */
    public static Optional<InetAddress> parse(String text) {
        byte[] octets = text.contains(":") ? ipv6(text) : ipv4(text);
        return octets == null ? Optional.empty() : Optional.of(address(octets));
    }

    /** The text everybody else writes: IPv6 as in RFC 5952, the longest run of zeros shortened. */
    public static String text(InetAddress address) {
        return AddressText.of(address);
    }

    public static InetAddress address(byte[] octets) {
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + octets.length + " octets", e);
        }
    }

    private static byte[] ipv4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return null;
        }
        byte[] octets = new byte[4];
        for (int i = 0; i < 4; i++) {
            if (!parts[i].matches("[0-9]+") || parts[i].replaceFirst("^0+", "").length() > 3) {
                return null;
            }
            int octet = Integer.parseInt(parts[i]);
            if (octet > 255) {
                return null;
            }
            octets[i] = (byte) octet;
        }
        return octets;
    }

    private static byte[] ipv6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            List<Integer> groups = groups(text);
            return groups == null || groups.size() != 8 ? null : octets(groups);
        }
        List<Integer> head = groups(text.substring(0, gap));
        List<Integer> tail = groups(text.substring(gap + 2));
        if (head == null
                || tail == null
                || head.size() + tail.size() > 7
                || text.substring(0, gap).contains(".")) {
            return null;
        }
        List<Integer> all = new ArrayList<>(head);
        while (all.size() + tail.size() < 8) {
            all.add(0);
        }
        all.addAll(tail);
        return octets(all);
    }

    /** The 16-bit groups of a part without a gap; the last one may be an IPv4 address. */
    private static List<Integer> groups(String text) {
        List<Integer> groups = new ArrayList<>();
        if (text.isEmpty()) {
            return groups;
        }
        String[] parts = text.split(":", -1);
        for (int i = 0; i < parts.length; i++) {
            if (i == parts.length - 1 && parts[i].contains(".")) {
                byte[] octets = ipv4(parts[i]);
                if (octets == null) {
                    return null;
                }
                groups.add((octets[0] & 0xff) << 8 | octets[1] & 0xff);
                groups.add((octets[2] & 0xff) << 8 | octets[3] & 0xff);
            } else if (parts[i].matches("[0-9A-Fa-f]{1,4}")) {
                groups.add(Integer.parseInt(parts[i], 16));
            } else {
                return null;
            }
        }
        return groups;
    }

    private static byte[] octets(List<Integer> groups) {
        byte[] octets = new byte[16];
        for (int i = 0; i < 8; i++) {
            octets[2 * i] = (byte) (groups.get(i) >> 8);
            octets[2 * i + 1] = (byte) (int) groups.get(i);
        }
        return octets;
    }
}
