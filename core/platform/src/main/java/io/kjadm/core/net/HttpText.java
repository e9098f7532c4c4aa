package io.kjadm.core.net;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/** Reads short texts over HTTP. */
public final class HttpText {

    private static final BodyHandler<byte[]> SHORT =
            BodyHandlers.limiting(BodyHandlers.ofByteArray(), 1 << 20);

    /** As many redirects as Go follows. */
    private static final int REDIRECTS = 10;

    private static final Set<Integer> REDIRECTING = Set.of(301, 302, 303, 307, 308);

    private final SSLContext tls;
    private final ProxyEnvironment proxies;
    private final int redirects;
    private final Duration limit;

    private HttpText(SSLContext tls, ProxyEnvironment proxies, int redirects, Duration limit) {
        this.tls = tls;
        this.proxies = proxies;
        this.redirects = redirects;
        this.limit = limit;
    }

    /**
     * One that asks a server of the cluster itself: no proxy, no redirects.
     *
     * @param limit for a whole answer with all that leads to it
     */
    public static HttpText direct(SSLContext tls, Duration limit) {
        return new HttpText(tls, new ProxyEnvironment(Map.of()), 0, limit);
    }

    /** What a server answered, whatever the status. */
    public record Answer(int status, String body) {}

    /**
     * One for the world outside: by the CAs of this machine, through its proxy, along redirects.
     *
     * @param environment which names the proxy, and may say where the CAs are
     * @param limit for a whole answer with all that leads to it
     */
    public static HttpText ofMachine(Map<String, String> environment, Duration limit) {
        try {
            return new HttpText(
                    ClientTls.context(new ServerTrust.Machine(), new KeyManager[0], environment),
                    new ProxyEnvironment(environment),
                    REDIRECTS,
                    limit);
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
        return within(() -> fetched(url, SHORT, HttpText::text));
    }

    /**
     * The answer to a POST of a JSON text; a redirect is the answer.
     *
     * @throws IOException also if it is not complete within the limit, or longer than a mebibyte
     */
    public Answer post(URI url, String json) throws IOException {
        return within(() -> asked(
                url,
                request -> request.header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json)),
                SHORT,
                HttpText::text));
    }

    private Answer within(Callable<Answer> question) throws IOException {
        return Deadline.within(limit, "no complete answer", question);
    }

    /** What is done with an answer while its connection is open. */
    @FunctionalInterface
    interface Use<B, T> {

        /** Reads it. */
        T apply(HttpResponse<B> answer) throws IOException, InterruptedException;
    }

    /** The answer to a GET at the end of all redirects that are followed. */
    <B, T> T fetched(URI url, BodyHandler<B> body, Use<B, T> use)
            throws IOException, InterruptedException {
        return fetched(url, redirects, body, use);
    }

    private <B, T> T fetched(URI at, int left, BodyHandler<B> body, Use<B, T> use)
            throws IOException, InterruptedException {
        return asked(at, HttpRequest.Builder::GET, body, answer -> {
            Optional<String> location = answer.headers().firstValue("Location");
            if (redirects == 0
                    || !REDIRECTING.contains(answer.statusCode())
                    || location.isEmpty()) {
                return use.apply(answer);
            }
            if (left == 0) {
                throw new IOException("more than %d redirects".formatted(redirects));
            }
            return fetched(redirected(at, location.get()), left - 1, body, use);
        });
    }

    private static Answer text(HttpResponse<byte[]> answer) {
        return new Answer(answer.statusCode(), new String(answer.body(), StandardCharsets.UTF_8));
    }

    private static URI redirected(URI from, String location) throws IOException {
        URI to;
        try {
            to = from.resolve(new URI(location));
        } catch (URISyntaxException e) {
            throw new IOException("%s redirects to something that is not a URL".formatted(from), e);
        }
        boolean weaker = from.getScheme().equals("https") && !"https".equals(to.getScheme());
        if (weaker || !Set.of("http", "https").contains(to.getScheme())) {
            throw new IOException("%s redirects to %s, which is not followed".formatted(from, to));
        }
        return to;
    }

    private <B, T> T asked(
            URI url,
            UnaryOperator<HttpRequest.Builder> question,
            BodyHandler<B> body,
            Use<B, T> use)
            throws IOException, InterruptedException {
        Outbound outbound = new Outbound(tls, proxies.proxyFor(url));
        HttpClient client = outbound.builder().connectTimeout(limit).build();
        try {
            return use.apply(client.send(
                    question.apply(outbound.request(url).timeout(limit)).build(), body));
        } finally {
            // close() would wait for what still trickles in
            client.shutdownNow();
        }
    }
}
