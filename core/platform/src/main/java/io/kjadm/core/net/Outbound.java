package io.kjadm.core.net;

import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
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
        // the JDK's clients would keep a basic Proxy-Authorization from CONNECT, which Go's
        // programs
        // send there; each client reads this once, with the first request that is made
        if (System.getProperty(TUNNELS) == null) {
            System.setProperty(TUNNELS, "");
        }
    }

    /**
     * Lets the JDK's older client, {@code HttpURLConnection}, log in to a proxy for HTTPS; whoever
     * uses it calls this first.
     */
    public static void allowTunnelLogin() {
        // done above, once
    }

    /** A new client's builder, set up. */
    public HttpClient.Builder builder() {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        configure(builder);
        return builder;
    }

    /** A request for its client. */
    HttpRequest.Builder request(URI url) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url);
        proxy.flatMap(HttpProxy::authorization)
                .ifPresent(value -> request.header(PROXY_AUTHORIZATION, value));
        return request;
    }

    /** Sets up a builder, whatever it was told before; redirects are the caller's. */
    public void configure(HttpClient.Builder builder) {
        builder.sslContext(tls)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(proxy.map(HttpProxy::address)
                        .map(ProxySelector::of)
                        .orElse(HttpClient.Builder.NO_PROXY));
    }
}
