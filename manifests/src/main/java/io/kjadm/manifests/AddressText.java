package io.kjadm.manifests;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.StringJoiner;

/**
 * IP addresses as Kubernetes and etcd write them: RFC 5952 text, in brackets where a port may
 * follow.
 */
public final class AddressText {

    private static final int GROUPS = 8;

    private AddressText() {}

    /**
     * The shortest form, lower case, without brackets and zone: {@code 192.0.2.1}, {@code
     * 2001:db8::1}.
     */
    public static String of(InetAddress address) {
        return address instanceof Inet6Address
                ? compressed(address.getAddress())
                : address.getHostAddress();
    }

    /** The address as a URL needs it: {@code 192.0.2.1}, {@code [2001:db8::1]}. */
    public static String inUrl(InetAddress address) {
        return address instanceof Inet6Address ? "[" + of(address) + "]" : of(address);
    }

    /** {@code host:port}, IPv6 in brackets. */
    public static String withPort(InetAddress address, int port) {
        return inUrl(address) + ":" + port;
    }

    static boolean isIpv6(InetAddress address) {
        return address instanceof Inet6Address;
    }

    /** The loopback address of the same family. */
    static String loopback(InetAddress sameFamily) {
        return isIpv6(sameFamily) ? "::1" : "127.0.0.1";
    }

    static String loopbackInUrl(InetAddress sameFamily) {
        return isIpv6(sameFamily) ? "[::1]" : "127.0.0.1";
    }

    private static String compressed(byte[] bytes) {
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (bytes[2 * i] & 0xff) << 8 | bytes[2 * i + 1] & 0xff;
        }
        int runStart = -1;
        int runLength = 1; // a single zero group is not shortened (RFC 5952 §4.2.2)
        for (int start = 0; start < GROUPS; start++) {
            int end = start;
            while (end < GROUPS && groups[end] == 0) {
                end++;
            }
            if (end - start > runLength) {
                runStart = start;
                runLength = end - start;
            }
        }
        if (runStart < 0) {
            return hex(groups, 0, GROUPS);
        }
        return hex(groups, 0, runStart) + "::" + hex(groups, runStart + runLength, GROUPS);
    }

    private static String hex(int[] groups, int from, int to) {
        var joined = new StringJoiner(":");
        for (int i = from; i < to; i++) {
            joined.add(Integer.toHexString(groups[i]));
        }
        return joined.toString();
    }
}
