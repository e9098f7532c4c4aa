package io.kjadm.core.machine;

import io.kjadm.core.error.Causes;
import io.kjadm.core.net.ClientTls;
import io.kjadm.core.net.Outbound;
import io.kjadm.core.net.ServerTrust;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;

import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/**
 * Asks over HTTP or HTTPS, around any configured proxy. Only the status is asked for, nothing is
 * sent or believed: kubeadm does not verify here either.
 */
public final class HttpHealthProbe implements HealthProbe {

    private static final int LIMIT_MILLIS = (int) Duration.ofSeconds(2).toMillis();

    @Override
    public String ask(URI url) {
        Outbound.allowTunnelLogin();
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
            return ClientTls.context(new ServerTrust.Skipped(), new KeyManager[0], Map.of());
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
