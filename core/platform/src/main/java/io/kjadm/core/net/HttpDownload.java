package io.kjadm.core.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

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
        Deadline.within(
                limit,
                "not complete",
                () -> HttpText.ofMachine(environment, limit)
                        .fetched(url, BodyHandlers.ofInputStream(), answer -> {
                            if (answer.statusCode() != 200) {
                                throw new IOException("HTTP status " + answer.statusCode());
                            }
                            try (InputStream body = answer.body()) {
                                copy(body, longest, into);
                            }
                            return true;
                        }));
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
}
