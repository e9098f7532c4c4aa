package io.kjadm.core.net;

import io.kjadm.core.value.Cidr;
import io.kjadm.core.value.IpAddresses;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The proxy that the environment prescribes for a destination, by the rules that the programs of
 * Kubernetes follow (Go's {@code golang.org/x/net/http/httpproxy}): {@code HTTP_PROXY},
 * {@code HTTPS_PROXY} and {@code NO_PROXY}, upper case before lower case; this machine's own
 * addresses never go through a proxy.
 *
 * @param variables the environment
 */
public record ProxyEnvironment(Map<String, String> variables) {

    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    public ProxyEnvironment {
        variables = Map.copyOf(variables);
    }

    /** The proxy for HTTPS to a host (name or IP address without brackets) and port. */
    public Optional<String> proxyFor(String host, int port) {
        return proxyFor("https", host, port);
    }

    /**
     * The proxy for a URL of http or https.
     *
     * @throws IOException if the proxy that is prescribed cannot be used
     */
    public Optional<HttpProxy> proxyFor(URI url) throws IOException {
        if (url.getHost() == null) {
            throw new IOException("%s names no host".formatted(url));
        }
        String scheme = url.getScheme().toLowerCase(Locale.ROOT);
        int port = url.getPort() == -1 ? (scheme.equals("https") ? HTTPS : HTTP) : url.getPort();
        Optional<String> proxy = proxyFor(scheme, url.getHost().replaceAll("[\\[\\]]", ""), port);
        return proxy.isEmpty() ? Optional.empty() : Optional.of(HttpProxy.parse(proxy.get()));
    }

    private Optional<String> proxyFor(String scheme, String host, int port) {
        return variable(scheme.toUpperCase(Locale.ROOT) + "_PROXY")
                .filter(proxy -> !isDirect(host, port));
    }

    private Optional<String> variable(String name) {
        return Stream.of(name, name.toLowerCase(Locale.ROOT))
                .map(key -> variables.getOrDefault(key, ""))
                .filter(value -> !value.isBlank())
                .findFirst();
    }

    private boolean isDirect(String host, int port) {
        Optional<InetAddress> address = IpAddresses.parse(host);
        if (host.equalsIgnoreCase("localhost")
                || address.map(InetAddress::isLoopbackAddress).orElse(false)) {
            return true;
        }
        return variable("NO_PROXY").stream()
                .flatMap(list -> Arrays.stream(list.split(",")))
                .map(String::strip)
                .filter(entry -> !entry.isEmpty())
                .anyMatch(entry -> exempts(entry.toLowerCase(Locale.ROOT), host, address, port));
    }

    private static boolean exempts(
            String entry, String host, Optional<InetAddress> address, int port) {
        if (entry.equals("*")) {
            return true;
        }
        Optional<Cidr> network = Cidr.parse(entry);
        if (network.isPresent()) {
            return address.map(network.get()::contains).orElse(false);
        }
        Exemption parts = Exemption.of(entry);
        if (parts.port().isPresent() && parts.port().get() != port) {
            return false;
        }
        Optional<InetAddress> exempted = IpAddresses.parse(parts.host());
        return exempted.isPresent()
                ? exempted.equals(address)
                : isBelow(host.toLowerCase(Locale.ROOT), parts.host());
    }

    /**
     * {@code example.org} means itself and what is below it, {@code .example.org} only the latter.
     */
    private static boolean isBelow(String host, String domain) {
        String suffix = domain.startsWith("*.") ? domain.substring(1) : domain;
        return suffix.startsWith(".")
                ? host.endsWith(suffix)
                : host.equals(suffix) || host.endsWith("." + suffix);
    }

    /** One entry without a network in it: a host, and a port if it is only about that. */
    private record Exemption(String host, Optional<Integer> port) {

        static Exemption of(String entry) {
            int colon = entry.lastIndexOf(':');
            boolean bareIpv6 = entry.indexOf(':') != colon && !entry.startsWith("[");
            if (colon < 0 || bareIpv6 || !entry.substring(colon + 1).matches("[0-9]{1,5}")) {
                return new Exemption(withoutBrackets(entry), Optional.empty());
            }
            return new Exemption(
                    withoutBrackets(entry.substring(0, colon)),
                    Optional.of(Integer.valueOf(entry.substring(colon + 1))));
        }

        private static String withoutBrackets(String host) {
            return host.startsWith("[") && host.endsWith("]")
                    ? host.substring(1, host.length() - 1)
                    : host;
        }
    }
}
