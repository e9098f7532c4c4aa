package io.kjadm.core.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/**
 * Reads long files over HTTP from the world outside: by the CAs of this machine, through its proxy,
 * along redirects.
 */
public final class HttpDownload {

    private static final int BUFFER = 1 << 16;

    private final Map<String, String> environment;
    private final Duration limit;

    /**
     * @param environment which names the proxy, and may say where the CAs are
     * @param limit       for a whole file with all that leads to it
     */
    public HttpDownload(Map<String, String> environment, Duration limit) {
        this.environment = Map.copyOf(environment);
        this.limit = limit;
    }

    /**
     * Passes a file on as it comes.
     *
     * @param longest in bytes; no more is passed on, whatever the server says of its length
     * @param into    is left open
     * @throws IOException also for any status but 200, if it is not complete within the limit, and
     *         if it is longer
     */
    public void fetch(URI url, long longest, OutputStream into) throws IOException {
        Deadline.within(limit, "not complete", () -> {
            copy(url, longest, into);
            return true;
        });
    }

    private void copy(URI url, long longest, OutputStream into)
            throws IOException, InterruptedException {
        URI at = url;
        for (int followed = 0; followed <= HttpText.REDIRECTS; followed++) {
            Outbound outbound = new Outbound(tls(), new ProxyEnvironment(environment).proxyFor(at));
            HttpClient client = outbound.builder().connectTimeout(limit).build();
            try {
                HttpResponse<InputStream> answer =
                        client.send(outbound.request(at).build(), BodyHandlers.ofInputStream());
                Optional<String> location = answer.headers().firstValue("Location");
                if (HttpText.REDIRECTING.contains(answer.statusCode()) && location.isPresent()) {
                    at = HttpText.redirected(at, location.get());
                    continue;
                }
                if (answer.statusCode() != 200) {
                    throw new IOException("HTTP status " + answer.statusCode());
                }
                try (InputStream body = answer.body()) {
                    copy(body, longest, into);
                }
                return;
            } finally {
                client.shutdownNow();
            }
        }
        throw new IOException("more than %d redirects".formatted(HttpText.REDIRECTS));
    }

    private static void copy(InputStream body, long longest, OutputStream into) throws IOException {
        byte[] buffer = new byte[BUFFER];
        long left = longest;
        for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
            left -= read;
            if (left < 0) {
                throw new IOException("it is longer than %d bytes".formatted(longest));
            }
            into.write(buffer, 0, read);
        }
    }

    private SSLContext tls() {
        try {
            return ClientTls.context(new ServerTrust.Machine(), new KeyManager[0], environment);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }
}
