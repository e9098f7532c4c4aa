package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

/**
 * Stands in for kube-apiserver: started with its flags, serving its port with its certificate,
 * asking for the same credentials, keeping its objects in the same etcd. It knows no schema, no
 * defaults and no watches.
 */
public final class StandInApiServer {
    /**
     * For want of watches: when an object was changed last that a controller manager acts upon.
     */
    static final String LAST_CHANGE = "/stand-in/last-change";

    private static final Map<String, String> LIST_KINDS = Map.of("endpoints", "EndpointsList");
    /** So long it looks for its etcd; kube-apiserver does about that long. */
    private static final Duration ETCD_PATIENCE = Duration.ofSeconds(20);

    private static final long INTERVAL_MILLIS = 200;
    /** Those of kube-apiserver that are ever given here; as there, any other is refused. */
    private static final Set<String> FLAGS = Set.of(
            "advertise-address",
            "allow-privileged",
            "anonymous-auth",
            "audit-log-maxage",
            "audit-log-path",
            "audit-policy-file",
            "authorization-mode",
            "bind-address",
            "client-ca-file",
            "enable-admission-plugins",
            "enable-bootstrap-token-auth",
            "etcd-cafile",
            "etcd-certfile",
            "etcd-keyfile",
            "etcd-servers",
            "event-ttl",
            "feature-gates",
            "kubelet-client-certificate",
            "kubelet-client-key",
            "kubelet-preferred-address-types",
            "max-requests-inflight",
            "profiling",
            "proxy-client-cert-file",
            "proxy-client-key-file",
            "requestheader-allowed-names",
            "requestheader-client-ca-file",
            "requestheader-extra-headers-prefix",
            "requestheader-group-headers",
            "requestheader-username-headers",
            "runtime-config",
            "secure-port",
            "service-account-issuer",
            "service-account-key-file",
            "service-account-signing-key-file",
            "service-cluster-ip-range",
            "service-node-port-range",
            "tls-cert-file",
            "tls-cipher-suites",
            "tls-min-version",
            "tls-private-key-file",
            "v");

    private final EtcdStore store;
    private final Authenticator authenticator;
    private final Authorizer authorizer;

    private StandInApiServer(EtcdStore store) {
        this.store = store;
        this.authenticator = new Authenticator(store);
        this.authorizer = new Authorizer(store);
    }

    /** Serves until it is ended; ends by itself if there is no etcd for a while. */
    public static void main(String... words) throws IOException, InterruptedException {
        StandIns.endAsComponents();
        var flags = new Flags(words);
        flags.unknown(FLAGS).ifPresent(flag -> StandIns.fail("unknown flag: " + flag));
        var etcd = URI.create(flags.get("etcd-servers").split(",")[0]);
        var store = connect(
                etcd,
                flags.find("service-cluster-ip-range"),
                flags.find("etcd-cafile")
                        .map(ca -> Tls.context(
                                Tls.read(flags.get("etcd-certfile")),
                                Tls.read(flags.get("etcd-keyfile")),
                                Tls.read(ca))));
        var server = new StandInApiServer(store);
        var tls = Tls.context(
                Tls.read(flags.get("tls-cert-file")),
                Tls.read(flags.get("tls-private-key-file")),
                Tls.read(flags.get("client-ca-file")));
        var port = flags.port(6443);
        var https = HttpsServer.create(new InetSocketAddress(port), 100);
        https.setHttpsConfigurator(new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
                var wanted = getSSLContext().getDefaultSSLParameters();
                wanted.setWantClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        https.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        https.createContext("/", server::handle);
        https.start();
        System.out.println("stand-in API server on port " + port + ", with etcd at " + etcd);
    }

    /** To an etcd that takes what a new cluster begins with. */
    private static EtcdStore connect(URI etcd, Optional<String> services, Optional<SSLContext> tls)
            throws IOException, InterruptedException {
        var until = Instant.now().plus(ETCD_PATIENCE);
        while (true) {
            try {
                var store = new EtcdStore(etcd, tls);
                for (var object : Seeds.objects(services)) {
                    store.create(path(object).key(), object);
                }
                return store;
            } catch (IOException e) {
                if (Instant.now().isAfter(until)) {
                    throw e;
                }
                Thread.sleep(INTERVAL_MILLIS);
            }
        }
    }

    private static ResourcePath path(ObjectNode object) {
        var version = object.path("apiVersion").asText();
        var slash = version.indexOf('/');
        return new ResourcePath(
                slash < 0 ? "" : version.substring(0, slash),
                version.substring(slash + 1),
                object.path("metadata").path("namespace").asText(""),
                Seeds.resource(object),
                object.path("metadata").path("name").asText(),
                "");
    }

    private void handle(HttpExchange exchange) throws IOException {
        Answer answer;
        try {
            answer = answer((HttpsExchange) exchange);
        } catch (IOException e) {
            answer = Answer.failure(500, "InternalError", String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            e.printStackTrace();
            answer = Answer.failure(400, "BadRequest", e.toString());
        }
        var bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.type());
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private Answer answer(HttpsExchange exchange) throws IOException {
        var uri = exchange.getRequestURI();
        var path = uri.getPath();
        if (Stream.of("/healthz", "/livez", "/readyz").anyMatch(path::startsWith)) {
            store.get("/registry/health");
            return new Answer(200, "text/plain", "ok");
        }
        if (path.equals("/version")) {
            return Answer.of(
                    200,
                    Json.object()
                            .put("major", "1")
                            .put("minor", Seeds.VERSION.split("\\.")[1])
                            .put("gitVersion", Seeds.VERSION));
        }
        var caller = authenticator.of(exchange);
        if (caller.isEmpty()) {
            return Answer.failure(401, "Unauthorized", "Unauthorized");
        }
        if (path.equals(LAST_CHANGE)) {
            return Answer.of(
                    200,
                    Json.object()
                            .put(
                                    "revision",
                                    store.lastChange(
                                            "/registry/core/", "/registry/certificates.k8s.io/")));
        }
        var found = ResourcePath.parse(path);
        if (found.isEmpty()) {
            return Answer.failure(
                    404, "NotFound", "the server could not find the requested resource");
        }
        var verb = verb(exchange.getRequestMethod(), found.get());
        if (!authorizer.allows(caller.get(), verb, found.get())) {
            return Answer.failure(
                    403,
                    "Forbidden",
                    "%s \"%s\" is forbidden: User \"%s\" cannot %s it"
                            .formatted(
                                    found.get().resource(),
                                    found.get().name(),
                                    caller.get().user(),
                                    verb));
        }
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        return switch (verb) {
            case "get" -> get(found.get());
            case "list" -> list(found.get(), Optional.ofNullable(uri.getQuery()).orElse(""));
            case "create" ->
                found.get().resource().equals(AccessReview.RESOURCE)
                        ? Answer.of(201, new AccessReview(authorizer).answer(Json.parse(body)))
                        : create(found.get(), Json.parse(body), caller.get());
            case "update" -> update(found.get(), Json.parse(body));
            case "patch" ->
                body.startsWith("[")
                        ? Answer.failure(
                                415, "UnsupportedMediaType", "JSON patches are not understood")
                        : patch(found.get(), Json.parse(body));
            default -> delete(found.get());
        };
    }

    private Answer get(ResourcePath path) throws IOException {
        return store.get(path.key())
                .map(object -> Answer.of(200, object))
                .orElseGet(() -> absent(path));
    }

    private Answer list(ResourcePath path, String query) throws IOException {
        var selectors = Stream.of(query.split("&"))
                .filter(part -> part.startsWith("labelSelector="))
                .flatMap(part ->
                        Stream.of(part.substring("labelSelector=".length()).split(",")))
                .filter(term -> term.contains("="))
                .collect(Collectors.toMap(
                        term -> term.substring(0, term.indexOf('=')),
                        term -> term.substring(term.lastIndexOf('=') + 1)));
        var list = Json.object().put("apiVersion", path.apiVersion());
        list.putObject("metadata").put("resourceVersion", "1");
        var items = list.putArray("items");
        for (var object : store.list(path.key())) {
            var labels = object.path("metadata").path("labels");
            if (selectors.entrySet().stream()
                    .allMatch(one -> labels.path(one.getKey()).asText().equals(one.getValue()))) {
                items.add(object);
            }
        }
        var kind = items.isEmpty() ? "List" : items.get(0).path("kind").asText() + "List";
        return Answer.of(200, list.put("kind", LIST_KINDS.getOrDefault(path.resource(), kind)));
    }

    private Answer create(ResourcePath path, ObjectNode object, Caller caller) throws IOException {
        var metadata = object.withObject("/metadata");
        if (!metadata.has("name")) {
            metadata.put(
                    "name",
                    metadata.path("generateName").asText()
                            + UUID.randomUUID().toString().substring(0, 5));
        }
        if (!path.namespace().isEmpty()) {
            metadata.put("namespace", path.namespace());
        }
        metadata.put("uid", UUID.randomUUID().toString());
        metadata.put(
                "creationTimestamp",
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        if (path.resource().equals("certificatesigningrequests")) {
            var groups =
                    object.withObject("/spec").put("username", caller.user()).putArray("groups");
            caller.groups().forEach(groups::add);
        }
        toData(object);
        var named = path.named(metadata.path("name").asText());
        return store.create(named.key(), object)
                ? Answer.of(201, object)
                : Answer.failure(
                        409,
                        "AlreadyExists",
                        "%s \"%s\" already exists".formatted(path.resource(), named.name()));
    }

    private Answer update(ResourcePath path, ObjectNode object) throws IOException {
        var existing = store.get(path.key());
        if (existing.isEmpty()) {
            return absent(path);
        }
        toData(object);
        var given = object.path("metadata").path("resourceVersion").asText();
        // "0" asks for no comparison, as none does
        return change(
                path, object, Set.of("", "0").contains(given) ? revision(existing.get()) : given);
    }

    private Answer patch(ResourcePath path, ObjectNode patch) throws IOException {
        var existing = store.get(path.key());
        if (existing.isEmpty()) {
            return absent(path);
        }
        var revision = revision(existing.get());
        MergePatch.apply(existing.get(), patch);
        return change(path, existing.get(), revision);
    }

    private Answer change(ResourcePath path, ObjectNode object, String revision)
            throws IOException {
        return store.replace(path.key(), object, revision)
                ? Answer.of(200, object)
                : Answer.failure(
                        409,
                        "Conflict",
                        "%s \"%s\": the object has been modified"
                                .formatted(path.resource(), path.name()));
    }

    private Answer delete(ResourcePath path) throws IOException {
        var existing = store.get(path.key());
        if (existing.isEmpty()) {
            return absent(path);
        }
        store.delete(path.key());
        return Answer.of(
                200,
                Json.object()
                        .put("apiVersion", "v1")
                        .put("kind", "Status")
                        .put("status", "Success"));
    }

    private static Answer absent(ResourcePath path) {
        return Answer.failure(
                404, "NotFound", "%s \"%s\" not found".formatted(path.resource(), path.name()));
    }

    private static String revision(ObjectNode object) {
        return object.path("metadata").path("resourceVersion").asText();
    }

    /** A secret's {@code stringData} is stored as {@code data}. */
    private static void toData(ObjectNode object) {
        if (object.remove("stringData") instanceof ObjectNode texts) {
            var data = object.withObject("/data");
            texts.properties()
                    .forEach(text -> data.put(
                            text.getKey(),
                            java.util.Base64.getEncoder()
                                    .encodeToString(text.getValue()
                                            .asText()
                                            .getBytes(StandardCharsets.UTF_8))));
        }
    }

    private static String verb(String method, ResourcePath path) {
        return switch (method) {
            case "GET" -> path.name().isEmpty() ? "list" : "get";
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> "delete";
            default -> throw new IllegalArgumentException(method);
        };
    }

    private record Answer(int status, String type, String body) {
        static Answer of(int status, ObjectNode object) {
            return new Answer(status, "application/json", Json.text(object));
        }

        static Answer failure(int code, String reason, String message) {
            return of(
                    code,
                    Json.object()
                            .put("apiVersion", "v1")
                            .put("kind", "Status")
                            .put("status", "Failure")
                            .put("message", message)
                            .put("reason", reason)
                            .put("code", code));
        }
    }
}
