package io.kjadm.store;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** A server of buckets that answers each request as a test says, and remembers them. */
final class ScriptedServer implements AutoCloseable {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private volatile Function<Asked, Told> script = _ -> error(500, "InternalError");

    ScriptedServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /**
     * A request.
     *
     * @param words of its method and query: {@code POST uploads}, {@code PUT partNumber}
     * @param tries how many like it there were, with this one
     */
    record Asked(String words, int tries, Headers headers, byte[] body) {}

    /** An answer. */
    record Told(int status, Map<String, String> headers, String body) {}

    static Told told(int status, String body) {
        return new Told(status, Map.of(), body);
    }

    static Told error(int status, String code) {
        return told(
                status,
                "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>no</Message></Error>"
                        .formatted(code));
    }

    /** That the bytes of a request were written. */
    static Told written(Asked request) {
        return new Told(200, Map.of("ETag", '"' + md5(request.body()) + '"'), "");
    }

    static Told begun() {
        return told(
                200,
                "<?xml version=\"1.0\"?><InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>");
    }

    static String md5(byte[] bytes) {
        MessageDigest sum = ContentSum.md5();
        return HexFormat.of().formatHex(sum.digest(bytes));
    }

    /** How requests are answered from now on. */
    void answering(Function<Asked, Told> next) {
        script = next;
    }

    List<Asked> asked() {
        return asked;
    }

    List<String> words() {
        return asked.stream().map(Asked::words).toList();
    }

    StoreUrl url() {
        return StoreUrl.parse("s3://bucket/p?endpoint=http://127.0.0.1:%d"
                .formatted(server.getAddress().getPort()));
    }

    ObjectStore store() {
        return Stores.open(url(), NoTrust.MANAGER, StoreProxies.NONE);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getRawQuery();
        String words = exchange.getRequestMethod()
                + (query == null ? "" : " " + query.replaceAll("[&=].*", ""));
        byte[] body = exchange.getRequestBody().readAllBytes();
        Asked request;
        synchronized (asked) {
            int before = (int)
                    asked.stream().filter(other -> other.words().equals(words)).count();
            request = new Asked(words, before + 1, exchange.getRequestHeaders(), body);
            asked.add(request);
        }
        Told told = script.apply(request);
        told.headers().forEach(exchange.getResponseHeaders()::add);
        byte[] bytes = told.body().getBytes(StandardCharsets.UTF_8);
        boolean bare = bytes.length == 0 || exchange.getRequestMethod().equals("HEAD");
        try {
            exchange.sendResponseHeaders(told.status(), bare ? -1 : bytes.length);
            if (!bare) {
                exchange.getResponseBody().write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            exchange.close();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
