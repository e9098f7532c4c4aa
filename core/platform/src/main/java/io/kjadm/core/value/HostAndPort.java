package io.kjadm.core.value;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A host (name or IP address, never in brackets) and a TCP port.
 */
public record HostAndPort(String host, int port) {

    /** What is wrong with one that is no {@linkplain #isAddress address}. */
    public static final String NO_ADDRESS =
            "the host must be an IP address or a DNS name without an underscore, whose last label begins with a letter";

    /**
     * Splits {@code host:port}; IPv6 addresses stand in brackets.
     *
     * @return nothing if the text has no port, an unusable port or unbalanced brackets
     */
    public static Optional<HostAndPort> parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return Optional.empty();
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":") || host.contains("[") || host.contains("]")) {
            return Optional.empty();
        }
        OptionalInt port = port(text.substring(colon + 1));
        return port.isEmpty()
                ? Optional.empty()
                : Optional.of(new HostAndPort(host, port.getAsInt()));
    }

    /** {@code host:port}, an IPv6 address in brackets. */
    public String text() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Whether the host can be one; a text with blanks in it is none, for example. */
    public boolean isAddress() {
        try {
            return new URI("https://" + text()).getHost() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** The base URL of an API server there. */
    public URI httpsUri() {
        return URI.create("https://" + text());
    }

    @Override
    public String toString() {
        return text();
    }

    private static OptionalInt port(String digits) {
        if (!digits.matches("[0-9]{1,5}")) {
            return OptionalInt.empty();
        }
        int port = Integer.parseInt(digits);
        return port >= 1 && port <= 65535 ? OptionalInt.of(port) : OptionalInt.empty();
    }
}
