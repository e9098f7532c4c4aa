package io.kjadm.core.net;

import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How an HTTP client leaves this machine.
 *
 * @param tls   decides on whom it trusts
 * @param proxy through which it goes, if any
 */
public record Outbound(SSLContext tls, Optional<HttpProxy> proxy) {

    /** Header of the requests that go through a proxy which wants to know who asks. */
    public static final String PROXY_AUTHORIZATION = "Proxy-Authorization";

    private static final String TUNNELS = "jdk.http.auth.tunneling.disabledSchemes";

    static {
        // the JDK's client, which reads this once, would keep a basic Proxy-Authorization from
        // CONNECT, where Go's programs send it
        if (System.getProperty(TUNNELS) == null) {
            System.setProperty(TUNNELS, "");
        }
    }

    /** A new client's builder, set up. */
    public HttpClient.Builder builder() {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        configure(builder);
        return builder;
    }

    /** Sets up a builder, whatever it was told before; redirects are the caller's. */
    public void configure(HttpClient.Builder builder) {
        builder.sslContext(tls).followRedirects(HttpClient.Redirect.NEVER)
                .proxy(proxy.map(HttpProxy::address).map(ProxySelector::of)
                        .orElse(HttpClient.Builder.NO_PROXY));
    }
}
