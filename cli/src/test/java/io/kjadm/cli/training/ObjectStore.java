package io.kjadm.cli.training;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;

import io.kjadm.core.net.LoopbackServer;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What an API server does with objects, without looking into them: whatever is written is kept in
 * memory and read back, and everything is allowed.
 */
final class ObjectStore {

    private static final String LABELS = "labelSelector=";

    private final ObjectMapper json = new ObjectMapper();
    /** By path: {@code /api/v1/namespaces/kube-system/configmaps/kubeadm-config}. */
    private final Map<String, JsonNode> objects = new TreeMap<>();

    private int revision;

    /** Answers one request. */
    synchronized void serve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        byte[] body = exchange.getRequestBody().readAllBytes();
        switch (exchange.getRequestMethod()) {
            case "GET" -> get(exchange, path);
            case "POST" -> {
                JsonNode object = json.readTree(body);
                String place = path + "/" + object.path("metadata").path("name").asText();
                if (objects.containsKey(place)) {
                    status(exchange, 409, "AlreadyExists");
                } else {
                    LoopbackServer.answer(exchange, 201, kept(place, object).toString());
                }
            }
            case "PUT" ->
                LoopbackServer.answer(
                        exchange, 200, kept(path, json.readTree(body)).toString());
            case "PATCH" -> {
                JsonNode before = objects.get(path);
                if (before == null) {
                    status(exchange, 404, "NotFound");
                } else {
                    LoopbackServer.answer(
                            exchange,
                            200,
                            kept(path, json.readerForUpdating(before.deepCopy()).readTree(body))
                                    .toString());
                }
            }
            default -> status(exchange, objects.remove(path) == null ? 404 : 200, "NotFound");
        }
    }

    /** Puts an object there without a request. */
    synchronized void put(String path, String object) throws IOException {
        kept(path, json.readTree(object));
    }

    synchronized String text(String path) {
        return objects.get(path).toString();
    }

    private JsonNode kept(String path, JsonNode object) {
        ObjectNode metadata = ((ObjectNode) object).withObjectProperty("metadata");
        metadata.put("resourceVersion", String.valueOf(++revision));
        metadata.put("uid", "00000000-0000-0000-0000-%012d".formatted(revision));
        metadata.put("creationTimestamp", "2026-01-01T00:00:00Z");
        objects.put(path, object);
        return object;
    }

    private void get(HttpExchange exchange, String path) throws IOException {
        JsonNode object = objects.get(path);
        if (object != null) {
            LoopbackServer.answer(exchange, 200, object.toString());
        } else if (path.equals("/version")) {
            LoopbackServer.answer(
                    exchange,
                    200,
                    "{\"major\": \"1\", \"minor\": \"36\", \"gitVersion\": \"v1.36.2\"}");
        } else if (!path.startsWith("/api")) {
            LoopbackServer.answer(exchange, 200, "ok");
        } else if (collection(path)) {
            LoopbackServer.answer(
                    exchange,
                    200,
                    list(
                            path,
                            Optional.ofNullable(exchange.getRequestURI().getRawQuery())
                                    .orElse("")));
        } else {
            status(exchange, 404, "NotFound");
        }
    }

    /** {@code /api/v1/nodes} and {@code /api/v1/namespaces/x/pods}, not {@code /api/v1/nodes/x}. */
    private static boolean collection(String path) {
        List<String> parts = List.of(path.substring(1).split("/"));
        List<String> below = parts.subList(
                Math.min(parts.size(), parts.getFirst().equals("api") ? 2 : 3), parts.size());
        return below.size() == 1 || below.size() == 3;
    }

    private String list(String path, String query) {
        List<JsonNode> items = new ArrayList<>();
        objects.forEach((place, object) -> {
            if (place.startsWith(path + "/")
                    && place.indexOf('/', path.length() + 1) < 0
                    && selected(object, query)) {
                items.add(object);
            }
        });
        ObjectNode list = json.createObjectNode()
                .put("apiVersion", "v1")
                .put(
                        "kind",
                        items.isEmpty() ? "List" : items.getFirst().path("kind").asText() + "List");
        list.putObject("metadata").put("resourceVersion", String.valueOf(revision));
        list.putArray("items").addAll(items);
        return list.toString();
    }

    private static boolean selected(JsonNode object, String query) {
        JsonNode labels = object.path("metadata").path("labels");
        return Stream.of(query.split("&"))
                .filter(part -> part.startsWith(LABELS))
                .map(part ->
                        URLDecoder.decode(part.substring(LABELS.length()), StandardCharsets.UTF_8))
                .flatMap(selector -> Stream.of(selector.split(",")))
                .map(term -> term.split("=", 2))
                .allMatch(
                        term -> term.length < 2 || labels.path(term[0]).asText().equals(term[1]));
    }

    private static void status(HttpExchange exchange, int code, String reason) throws IOException {
        LoopbackServer.answer(exchange, code, """
                {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "%s",
                 "reason": "%s", "message": "%s", "code": %d}""".formatted(
                code < 300 ? "Success" : "Failure", code < 300 ? "" : reason, reason, code));
    }
}
