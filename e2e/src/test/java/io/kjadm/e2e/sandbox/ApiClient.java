package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;

/** The few requests the stand-ins send, with the credentials of a kubeconfig. */
final class ApiClient {
    private final HttpClient http;
    private final URI server;
    private final String token;

    /** A client for the current context of a kubeconfig. */
    ApiClient(Path kubeconfig) {
        var config = Json.parseYaml(Tls.read(kubeconfig.toString()));
        var cluster = config.path("clusters").path(0).path("cluster");
        var user = config.path("users").path(0).path("user");
        this.server = URI.create(cluster.path("server").asText());
        this.token = user.has("exec")
                ? pluginToken(user.path("exec").path("command").asText())
                : user.path("token").asText("");
        var authority = pem(cluster, "certificate-authority");
        try {
            this.http = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(5))
                    .sslContext(
                            token.isEmpty()
                                    ? Tls.context(
                                            pem(user, "client-certificate"),
                                            pem(user, "client-key"),
                                            authority)
                                    : Tls.trusting(authority))
                    .build();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "the credentials of " + kubeconfig + " are of no use: " + e.getMessage(), e);
        }
    }

    Optional<ObjectNode> get(String path) throws IOException {
        var answer = send(request(path).GET());
        return answer.path("code").asInt() == 404 ? Optional.empty() : Optional.of(checked(answer));
    }

    /** Creates; whether it was there already makes no difference. */
    ObjectNode create(String path, ObjectNode object) throws IOException {
        var answer = send(request(path).POST(BodyPublishers.ofString(Json.text(object))));
        return answer.path("code").asInt() == 409 ? answer : checked(answer);
    }

    ObjectNode patch(String path, ObjectNode patch) throws IOException {
        return checked(send(request(path)
                .header("Content-Type", "application/merge-patch+json")
                .method("PATCH", BodyPublishers.ofString(Json.text(patch)))));
    }

    /** Replaces an object that nobody has changed since; empty if somebody has, or deleted it. */
    Optional<ObjectNode> replace(String path, ObjectNode object) throws IOException {
        var answer = send(request(path).PUT(BodyPublishers.ofString(Json.text(object))));
        return Set.of(404, 409).contains(answer.path("code").asInt())
                ? Optional.empty()
                : Optional.of(checked(answer));
    }

    /** Deletes; whether it was there makes no difference. */
    void delete(String path) throws IOException {
        var answer = send(request(path).DELETE());
        if (answer.path("code").asInt() != 404) {
            checked(answer);
        }
    }

    private HttpRequest.Builder request(String path) {
        var request = HttpRequest.newBuilder(server.resolve(path)).timeout(Duration.ofSeconds(5));
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    /** The token that a credential plugin gives; one that gives certificates is not known here. */
    private static String pluginToken(String command) {
        try {
            var plugin = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            var answer = new String(plugin.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Json.parse(answer).path("status").path("token").asText();
        } catch (IOException e) {
            throw new UncheckedIOException("the plugin " + command + " failed", e);
        }
    }

    private ObjectNode send(HttpRequest.Builder request) throws IOException {
        try {
            return Json.parse(
                    http.send(request.build(), BodyHandlers.ofString()).body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static ObjectNode checked(ObjectNode answer) throws IOException {
        if (answer.path("kind").asText().equals("Status")
                && answer.path("status").asText().equals("Failure")) {
            throw new IOException(answer.path("message").asText());
        }
        return answer;
    }

    /** A field of a kubeconfig that is there as data or as the name of a file. */
    static String pem(com.fasterxml.jackson.databind.JsonNode holder, String field) {
        var data = holder.path(field + "-data").asText("");
        return data.isEmpty()
                ? Tls.read(holder.path(field).asText())
                : new String(Base64.getMimeDecoder().decode(data), StandardCharsets.US_ASCII);
    }
}
