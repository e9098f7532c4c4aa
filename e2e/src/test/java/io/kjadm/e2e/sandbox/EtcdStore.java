package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/**
 * The objects of the stand-in API server, in etcd, through its JSON gateway. Every object carries
 * the revision of its last change as {@code resourceVersion}; what etcd refuses or does not answer
 * is an {@link IOException}.
 */
final class EtcdStore {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final HttpClient http;
    private final URI endpoint;
    private final String api;

    /** Connects; fails if etcd does not serve. */
    EtcdStore(URI endpoint, Optional<SSLContext> tls) throws IOException {
        var builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(LIMIT);
        tls.ifPresent(builder::sslContext);
        this.http = builder.build();
        this.endpoint = endpoint;
        var version = Json.parse(send(
                        HttpRequest.newBuilder(endpoint.resolve("/version")).GET()))
                .path("etcdserver")
                .asText();
        // The gateway of 3.3 is of an older shape only in its prefix.
        this.api = version.startsWith("3.3.") ? "/v3beta/kv/" : "/v3/kv/";
    }

    Optional<ObjectNode> get(String key) throws IOException {
        return range(Json.object().put("key", base64(key))).stream().findFirst();
    }

    List<ObjectNode> list(String prefix) throws IOException {
        return range(
                Json.object().put("key", base64(prefix)).put("range_end", base64(end(prefix))));
    }

    private static String end(String prefix) {
        return prefix.substring(0, prefix.length() - 1)
                + (char) (prefix.charAt(prefix.length() - 1) + 1);
    }

    /** The revision of the last change of an object below one of these prefixes. */
    long lastChange(String... prefixes) throws IOException {
        var transaction = Json.object();
        for (var prefix : prefixes) {
            transaction
                    .withArray("success")
                    .addObject()
                    .putObject("request_range")
                    .put("key", base64(prefix))
                    .put("range_end", base64(end(prefix)))
                    .put("sort_target", "MOD")
                    .put("sort_order", "DESCEND")
                    .put("limit", "1")
                    .put("keys_only", true);
        }
        long last = 0;
        for (var response : call("txn", transaction).path("responses")) {
            for (var pair : response.path("response_range").path("kvs")) {
                last = Math.max(last, pair.path("mod_revision").asLong());
            }
        }
        return last;
    }

    /** Whether the object was written; it was not if there is one already. */
    boolean create(String key, ObjectNode object) throws IOException {
        return put(key, object, "CREATE", "create_revision", "0");
    }

    /** Whether the object was written; it was not if it changed since {@code revision}. */
    boolean replace(String key, ObjectNode object, String revision) throws IOException {
        return put(key, object, "MOD", "mod_revision", revision);
    }

    void delete(String key) throws IOException {
        call("deleterange", Json.object().put("key", base64(key)));
    }

    private boolean put(String key, ObjectNode object, String target, String field, String revision)
            throws IOException {
        var stored = object.deepCopy();
        stored.withObject("/metadata").remove("resourceVersion");
        var transaction = Json.object();
        transaction
                .withArray("compare")
                .addObject()
                .put("key", base64(key))
                .put("target", target)
                .put("result", "EQUAL")
                .put(field, revision);
        transaction
                .withArray("success")
                .addObject()
                .putObject("request_put")
                .put("key", base64(key))
                .put("value", base64(Json.text(stored)));
        var answer = call("txn", transaction);
        if (!answer.path("succeeded").asBoolean()) {
            return false;
        }
        object.withObject("/metadata")
                .put("resourceVersion", answer.path("header").path("revision").asText());
        return true;
    }

    private List<ObjectNode> range(ObjectNode request) throws IOException {
        var found = new ArrayList<ObjectNode>();
        for (var pair : call("range", request).path("kvs")) {
            var object = Json.parse(new String(
                    Base64.getDecoder().decode(pair.path("value").asText()),
                    StandardCharsets.UTF_8));
            object.withObject("/metadata")
                    .put("resourceVersion", pair.path("mod_revision").asText());
            found.add(object);
        }
        return found;
    }

    private ObjectNode call(String method, ObjectNode request) throws IOException {
        return Json.parse(send(HttpRequest.newBuilder(endpoint.resolve(api + method))
                .POST(HttpRequest.BodyPublishers.ofString(Json.text(request)))));
    }

    private String send(HttpRequest.Builder request) throws IOException {
        try {
            var answer = http.send(request.timeout(LIMIT).build(), BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("etcd answers " + answer.statusCode() + ": " + answer.body());
            }
            return answer.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
