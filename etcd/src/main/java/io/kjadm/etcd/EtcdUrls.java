package io.kjadm.etcd;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;

/** Builds etcd URLs from addresses, and gives URLs that mean the same the same text. */
public final class EtcdUrls {

    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    private EtcdUrls() {}

    /** {@code https://<address>:2379}, an IPv6 address in brackets. */
    public static URI client(InetAddress address) {
        return of("https", literal(address), EtcdPorts.CLIENT);
    }

    /** {@code https://<address>:2380}, an IPv6 address in brackets. */
    public static URI peer(InetAddress address) {
        return of("https", literal(address), EtcdPorts.PEER);
    }

    /** A URL of a host name or an address literal, with or without brackets. */
    public static URI of(String scheme, String host, int port) {
        return URI.create(text(scheme, host, port));
    }

    private static String text(String scheme, String host, int port) {
        String canonical = canonicalHost(host);
        String written = canonical.contains(":") ? "[" + canonical + "]" : canonical;
        return scheme + "://" + written + ":" + port;
    }

    /**
     * Lower case scheme and host, addresses as RFC 5952 writes them, the port always there, no
     * trailing slash.
     *
     * @param defaultPort for a URL without a port
     */
    public static URI canonical(URI url, int defaultPort) {
        if (url.getScheme() == null || url.getHost() == null) {
            // a name Java's URI refuses as a host (an underscore, say) is compared as it was
            // written
            return url;
        }
        int port = url.getPort() == -1 ? defaultPort : url.getPort();
        String canonical = text(url.getScheme().toLowerCase(Locale.ROOT), url.getHost(), port);
        return canonical.equals(url.toString()) ? url : URI.create(canonical);
    }

    /** The host without brackets, as a socket wants it. */
    public static String host(URI url) {
        if (url.getHost() == null) {
            throw new IllegalArgumentException(url + " has no host a connection could go to");
        }
        return canonicalHost(url.getHost());
    }

    /** Whether it leads to whichever machine asks. */
    public static boolean loopback(URI url) {
        String host = url.getHost() == null ? "" : host(url);
        return host.startsWith("127.") || host.equals("::1") || host.equals("localhost");
    }

    private static String canonicalHost(String host) {
        String bare = host.startsWith("[") && host.endsWith("]")
                ? host.substring(1, host.length() - 1)
                : host;
        int percent = bare.indexOf('%');
        String zone = percent < 0 ? "" : bare.substring(percent);
        String address = percent < 0 ? bare : bare.substring(0, percent);
        if (!address.contains(":") && !IPV4.matcher(address).matches()) {
            return bare.toLowerCase(Locale.ROOT);
        }
        return literal(InetAddress.ofLiteral(address)) + zone;
    }

    private static String literal(InetAddress address) {
        return address instanceof Inet6Address six
                ? rfc5952(six.getAddress())
                : address.getHostAddress();
    }

    /**
     * RFC 5952 §4: no leading zeros, the first longest run of two or more zero groups as "::",
     * lower case.
     */
    private static String rfc5952(byte[] bytes) {
        int[] groups = new int[8];
        for (int i = 0; i < 8; i++) {
            groups[i] = (bytes[2 * i] & 0xff) << 8 | bytes[2 * i + 1] & 0xff;
        }
        int start = -1;
        int length = 1;
        for (int i = 0; i < 8; i++) {
            int run = 0;
            while (i + run < 8 && groups[i + run] == 0) {
                run++;
            }
            if (run > length) {
                start = i;
                length = run;
            }
        }
        if (start < 0) {
            return join(groups, 0, 8);
        }
        return join(groups, 0, start) + "::" + join(groups, start + length, 8);
    }

    private static String join(int[] groups, int from, int to) {
        var text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(i == from ? "" : ":").append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }
}
