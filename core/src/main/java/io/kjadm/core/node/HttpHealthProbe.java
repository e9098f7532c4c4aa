package io.kjadm.core.node;

import io.kjadm.core.error.Causes;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;

import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Asks over HTTP or HTTPS, around any configured proxy. */
public final class HttpHealthProbe implements HealthProbe {

    private static final int LIMIT_MILLIS = (int) Duration.ofSeconds(2).toMillis();

    @Override
    public String ask(URI url) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) url.toURL().openConnection(Proxy.NO_PROXY);
            if (connection instanceof HttpsURLConnection https) {
                https.setSSLSocketFactory(trustingContext().getSocketFactory());
                https.setHostnameVerifier((name, session) -> true);
            }
            connection.setConnectTimeout(LIMIT_MILLIS);
            connection.setReadTimeout(LIMIT_MILLIS);
            try {
                int status = connection.getResponseCode();
                return status == HttpURLConnection.HTTP_OK
                        ? ""
                        : "%s answers %d".formatted(url, status);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return "%s: %s".formatted(url, Causes.words(e));
        }
    }

    private static SSLContext trustingContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustAll()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Only the status is asked for, nothing is sent or believed: kubeadm does not verify here
     * either.
     */
    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
