package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

import javax.net.ssl.SSLContext;

/** The part of etcd's JSON gateway that {@link EtcdStore} calls, in memory. */
final class MemoryEtcd {
    private record Value(String text, long modified) {}

    /** By key, in base64 as their texts are. */
    private final Map<String, Value> values = new HashMap<>();

    private final HttpsServer server;
    private long revision = 1;

    private MemoryEtcd(HttpsServer server) {
        this.server = server;
    }

    static MemoryEtcd start(SSLContext tls) throws IOException {
        var server =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        var etcd = new MemoryEtcd(server);
        server.createContext("/", etcd::handle);
        server.start();
        return etcd;
    }

    URI endpoint() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    private void handle(HttpExchange exchange) throws IOException {
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        var path = exchange.getRequestURI().getPath();
        var answer = Json.text(answer(path.substring(path.lastIndexOf('/') + 1), Json.parse(body)))
                .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private synchronized ObjectNode answer(String method, ObjectNode request) {
        var answer = Json.object();
        switch (method) {
            case "version" -> answer.put("etcdserver", "3.5.0");
            case "range" -> range(request, answer);
            case "deleterange" -> values.remove(request.path("key").asText());
            default -> transact(request, answer);
        }
        answer.withObject("/header").put("revision", Long.toString(revision));
        return answer;
    }

    private void range(ObjectNode request, ObjectNode answer) {
        var key = text(request.path("key").asText());
        var end = text(request.path("range_end").asText());
        var found = answer.putArray("kvs");
        values.forEach((name, value) -> {
            var plain = text(name);
            if (end.isEmpty()
                    ? plain.equals(key)
                    : plain.compareTo(key) >= 0 && plain.compareTo(end) < 0) {
                found.addObject()
                        .put("value", value.text())
                        .put("mod_revision", Long.toString(value.modified()));
            }
        });
    }

    private void transact(ObjectNode transaction, ObjectNode answer) {
        var responses = answer.putArray("responses");
        for (var operation : transaction.path("success")) {
            if (operation.path("request_range") instanceof ObjectNode range) {
                range(range, responses.addObject().putObject("response_range"));
            } else {
                answer.put("succeeded", put(transaction));
            }
        }
    }

    private boolean put(ObjectNode transaction) {
        var compare = transaction.path("compare").path(0);
        var put = transaction.path("success").path(0).path("request_put");
        var key = put.path("key").asText();
        var present = values.get(key);
        var fits = compare.path("target").asText().equals("CREATE")
                ? present == null
                : present != null
                        && Long.toString(present.modified())
                                .equals(compare.path("mod_revision").asText());
        if (fits) {
            revision++;
            values.put(key, new Value(put.path("value").asText(), revision));
        }
        return fits;
    }

    private static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }
}
