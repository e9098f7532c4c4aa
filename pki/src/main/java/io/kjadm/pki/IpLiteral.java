package io.kjadm.pki;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * IP addresses written as text; never asks a name server. The JDK's own reading of literals is not
 * enough for IPv4: it also takes {@code 10} and {@code 10.1} for addresses.
 */
final class IpLiteral {

    private static final Pattern IPV4 = Pattern.compile("0*\\d{1,3}(\\.0*\\d{1,3}){3}");

    private IpLiteral() {}

    /**
     * The address, or empty if the text is none. Leading zeros of an IPv4 octet are tolerated and
     * mean nothing.
     */
    static Optional<InetAddress> parse(String text) {
        if (IPV4.matcher(text).matches()) {
            return ipv4(text);
        }
        boolean looksLikeIpv6 = text.contains(":") && !text.contains("%") && !text.contains("[");
        return looksLikeIpv6 ? ipv6(text) : Optional.empty();
    }

    private static Optional<InetAddress> ipv4(String text) {
        String[] octets = text.split("\\.");
        byte[] address = new byte[octets.length];
        for (int i = 0; i < octets.length; i++) {
            int value = Integer.parseInt(octets[i]);
            if (value > 255) {
                return Optional.empty();
            }
            address[i] = (byte) value;
        }
        try {
            return Optional.of(InetAddress.getByAddress(address));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four octets are always an address: " + text, e);
        }
    }

    private static Optional<InetAddress> ipv6(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
