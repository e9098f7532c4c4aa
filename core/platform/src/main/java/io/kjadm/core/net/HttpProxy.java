package io.kjadm.core.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/**
 * A proxy that speaks HTTP.
 *
 * @param address not resolved
 * @param login   if its URL has credentials
 */
public record HttpProxy(InetSocketAddress address, Optional<PasswordAuthentication> login) {

    private static final int HTTP = 80;

    /**
     * Reads {@code [http://][user[:password]@]host[:port]}.
     *
     * @throws IOException if it is something else; the message does not repeat it, since it may
     *         hold a password
     */
    public static HttpProxy parse(String text) throws IOException {
        URI url = url(text);
        if (!url.getScheme().equalsIgnoreCase("http")) {
            throw new IOException("a proxy with scheme %s is not supported, only http"
                    .formatted(url.getScheme().toLowerCase(Locale.ROOT)));
        }
        String authority = url.getRawAuthority();
        int at = authority.lastIndexOf('@');
        return new HttpProxy(
                address(authority.substring(at + 1)),
                at < 0 ? Optional.empty() : Optional.of(login(authority.substring(0, at))));
    }

    private static URI url(String text) throws IOException {
        try {
            URI url = text.contains("://") ? new URI(text) : new URI("http://" + text);
            if (url.getRawAuthority() != null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // told below: its message would quote the text
        }
        throw new IOException("the proxy's address is not a URL such as http://proxy.example:3128");
    }

    private static InetSocketAddress address(String hostAndPort) throws IOException {
        int colon = hostAndPort.endsWith("]") ? -1 : hostAndPort.lastIndexOf(':');
        String host = colon < 0 ? hostAndPort : hostAndPort.substring(0, colon);
        String port = colon < 0 ? "" : hostAndPort.substring(colon + 1);
        try {
            return InetSocketAddress.createUnresolved(
                    host.replaceAll("^\\[|]$", ""), port.isEmpty() ? HTTP : Integer.parseInt(port));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "the proxy's address %s has no usable port".formatted(hostAndPort), e);
        }
    }

    private static PasswordAuthentication login(String userInfo) {
        int colon = userInfo.indexOf(':');
        return new PasswordAuthentication(
                decoded(colon < 0 ? userInfo : userInfo.substring(0, colon)),
                decoded(colon < 0 ? "" : userInfo.substring(colon + 1)).toCharArray());
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Value of {@code Proxy-Authorization}, if there are credentials. */
    public Optional<String> authorization() {
        return login.map(both -> both.getUserName() + ":" + new String(both.getPassword()))
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .map(bytes -> "Basic " + Base64.getEncoder().encodeToString(bytes));
    }

    @Override
    public String toString() {
        return "HttpProxy[%s]".formatted(address);
    }
}
