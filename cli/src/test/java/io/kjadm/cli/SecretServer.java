package io.kjadm.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretListBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The part of an API server that keeps the Secrets of kube-system, over plain HTTP on this machine.
 */
public final class SecretServer implements AutoCloseable {

    private static final String PATH = "/api/v1/namespaces/kube-system/secrets";

    private final KubernetesSerialization json = new KubernetesSerialization();
    private final Map<String, Secret> secrets = new ConcurrentSkipListMap<>();
    private final HttpServer server;

    public SecretServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(PATH, this::handle);
        server.start();
    }

    /** Where it listens. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** What it keeps, by name. */
    public Map<String, Secret> secrets() {
        return new TreeMap<>(secrets);
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String name =
                exchange.getRequestURI().getPath().substring(PATH.length()).replaceFirst("^/", "");
        switch (exchange.getRequestMethod() + (name.isEmpty() ? " all" : " one")) {
            case "GET all" ->
                answer(
                        exchange,
                        200,
                        new SecretListBuilder()
                                .withItems(chosen(exchange.getRequestURI()))
                                .build());
            case "GET one" ->
                answer(exchange, secrets.containsKey(name) ? 200 : 404, secrets.get(name));
            case "DELETE one" ->
                answer(exchange, secrets.containsKey(name) ? 200 : 404, secrets.remove(name));
            case "POST all" -> {
                Secret made = json.unmarshal(exchange.getRequestBody(), Secret.class);
                boolean fresh = secrets.putIfAbsent(made.getMetadata().getName(), made) == null;
                answer(exchange, fresh ? 201 : 409, fresh ? made : null);
            }
            default -> answer(exchange, 405, null);
        }
    }

    /** By {@code ?fieldSelector=type=TYPE}, the one that is known here. */
    private List<Secret> chosen(URI request) {
        String type = String.valueOf(request.getQuery()).replaceFirst("^fieldSelector=type=", "");
        return secrets.values().stream()
                .filter(secret -> type.equals(secret.getType()))
                .toList();
    }

    private void answer(HttpExchange exchange, int code, Object object) throws IOException {
        Object body = object == null
                ? new StatusBuilder()
                        .withCode(code)
                        .withMessage("status " + code)
                        .build()
                : object;
        byte[] bytes = json.asJson(body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
