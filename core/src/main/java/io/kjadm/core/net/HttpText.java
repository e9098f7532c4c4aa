package io.kjadm.core.net;

import io.kjadm.core.error.Causes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/** Reads short texts over HTTP. */
public final class HttpText {

    private static final long LONGEST = 1 << 20;

    private final SSLContext tls;
    private final Duration limit;

    /** @param limit for a whole answer with all that leads to it */
    public HttpText(SSLContext tls, Duration limit) {
        this.tls = tls;
        this.limit = limit;
    }

    /** What a server answered, whatever the status. */
    public record Answer(int status, String body) {}

    /**
     * One that trusts the CAs of this machine.
     *
     * @param environment which may say where they are
     */
    public static HttpText ofMachine(Map<String, String> environment, Duration limit) {
        try {
            return new HttpText(ClientTls.context(new ServerTrust.Machine(), new KeyManager[0],
                    environment), limit);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    /**
     * The answer to a GET.
     *
     * @throws IOException also if it is not complete within the limit, or longer than a mebibyte
     */
    public Answer get(URI url) throws IOException {
        try {
            return Deadline.within(limit, () -> fetched(url));
        } catch (TimeoutException e) {
            throw new IOException(
                    "no complete answer within %d s".formatted(limit.toSeconds()), e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure
                    ? failure : new IOException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(Causes.words(e), e);
        }
    }

    private Answer fetched(URI url) throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder().connectTimeout(limit)
                .version(HttpClient.Version.HTTP_1_1).sslContext(tls).build();
        try {
            HttpResponse<byte[]> answer = client.send(
                    HttpRequest.newBuilder(url).timeout(limit).build(),
                    BodyHandlers.limiting(BodyHandlers.ofByteArray(), LONGEST));
            return new Answer(answer.statusCode(),
                    new String(answer.body(), StandardCharsets.UTF_8));
        } finally {
            // close() would wait for what still trickles in
            client.shutdownNow();
        }
    }
}
