package io.kjadm.store;

import io.kjadm.store.StoreProxies.StoreProxy;

import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionFactory;

import java.io.IOException;
import java.net.Authenticator;
import java.net.HttpURLConnection;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * Connections to the server of a bucket. The client's own rules for proxies are not used: they know
 * no networks in {@code NO_PROXY}, use {@code HTTP_PROXY} for HTTPS too, and lead requests to this
 * machine, which are not encrypted, through a proxy.
 *
 * @param silence how long a server may send nothing
 */
record BucketConnections(
        SSLSocketFactory tls, StoreProxies proxies, Duration connect, Duration silence)
        implements UrlConnectionFactory {

    /** @param trust judges the server; the JDK compares its name */
    static BucketConnections of(
            TrustManager trust, StoreProxies proxies, Duration connect, Duration silence) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {trust}, null);
            return new BucketConnections(context.getSocketFactory(), proxies, connect, silence);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    @Override
    public HttpURLConnection createConnection(URI server) {
        try {
            Optional<StoreProxy> through = proxies.proxyFor(server);
            Proxy proxy = through.map(found -> new Proxy(Proxy.Type.HTTP, found.address()))
                    .orElse(Proxy.NO_PROXY);
            HttpURLConnection connection = (HttpURLConnection) server.toURL().openConnection(proxy);
            if (connection instanceof HttpsURLConnection encrypted) {
                encrypted.setSSLSocketFactory(tls);
            }
            through.flatMap(StoreProxy::login).ifPresent(login -> logIn(connection, login));
            connection.setConnectTimeout((int) connect.toMillis());
            connection.setReadTimeout((int) silence.toMillis());
            return connection;
        } catch (IOException e) {
            // in its own words: no other attempt fares better
            throw SdkClientException.create(e.getMessage(), e);
        }
    }

    /** As a header of an encrypted request it would go to the server, not to the proxy. */
    private static void logIn(HttpURLConnection connection, PasswordAuthentication login) {
        if (connection instanceof HttpsURLConnection) {
            connection.setAuthenticator(new ProxyLogin(login));
            return;
        }
        String both = login.getUserName() + ":" + new String(login.getPassword());
        connection.addRequestProperty(
                "Proxy-Authorization",
                "Basic "
                        + Base64.getEncoder()
                                .encodeToString(both.getBytes(StandardCharsets.UTF_8)));
    }

    /** Answers a proxy that asks, once, and nobody else. */
    private static final class ProxyLogin extends Authenticator {

        private final PasswordAuthentication login;
        private boolean answered;

        ProxyLogin(PasswordAuthentication login) {
            this.login = login;
        }

        @Override
        protected PasswordAuthentication getPasswordAuthentication() {
            boolean answer = getRequestorType() == RequestorType.PROXY && !answered;
            answered |= answer;
            return answer ? login : null;
        }
    }
}
