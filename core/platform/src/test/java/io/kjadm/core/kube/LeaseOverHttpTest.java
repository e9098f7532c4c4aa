package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.net.ServerTrust;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What goes over the wire when a Lease is kept: its form, and the resource version that guards it.
 */
class LeaseOverHttpTest {

    private static final String COLLECTION =
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    private static final String STORED = """
            {"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
             "metadata":{"name":"turn","namespace":"kube-system","uid":"u","resourceVersion":"41"},
             "spec":{"holderIdentity":"cp-9_1","leaseDurationSeconds":60,"renewTime":"2026-02-03T04:05:06.123456Z"}}
            """;

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private KubeApi api;
    private volatile int refusal;
    private volatile boolean hanging;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        api = new Fabric8Connector(Map.of(), warning -> {})
                .connect(new KubeAccess(
                        address, new ServerTrust.Machine(), new Credential.Token("t")));
    }

    @AfterEach
    void stop() {
        api.close();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (hanging) {
            // never answered, as by a server whose etcd is down
            hanging = false;
            requests.add("hung");
            return;
        }
        requests.add("%s %s %s"
                .formatted(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), body));
        String text = refusal == 0 ? (body.isEmpty() ? STORED : body) : """
                {"apiVersion":"v1","kind":"Status","status":"Failure","message":"no","code":%d}""".formatted(refusal);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(refusal == 0 ? 200 : refusal, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** The object that a request carried. */
    private JsonNode sent(int request) throws JsonProcessingException {
        return new ObjectMapper().readTree(requests.get(request).split(" ", 3)[2]);
    }

    private Lease read() {
        return api.get(Lease.class, "kube-system", "turn").orElseThrow();
    }

    @Test
    void aReadThatHangsIsSentOnceMore() {
        hanging = true;
        assertEquals("cp-9_1", read().getSpec().getHolderIdentity());
        assertEquals(2, requests.size(), requests.toString());
    }

    @Test
    void aReplacementIsSentOnceAndNamesTheVersionItReplaces() throws JsonProcessingException {
        Lease lease = new LeaseBuilder(read())
                .editSpec()
                .withHolderIdentity("cp-1_1")
                .endSpec()
                .build();
        api.replace(lease);
        assertEquals(2, requests.size(), requests.toString());
        assertTrue(requests.get(1).startsWith("PUT " + COLLECTION + "/turn "), requests.toString());
        assertEquals("41", sent(1).at("/metadata/resourceVersion").asText());
        assertEquals(
                "2026-02-03T04:05:06.123456Z", sent(1).at("/spec/renewTime").asText());
    }

    @Test
    void aReleasedLeaseNamesNoHolder() throws JsonProcessingException {
        api.replace(new LeaseBuilder(read())
                .editSpec()
                .withHolderIdentity(null)
                .endSpec()
                .build());
        assertFalse(sent(1).get("spec").has("holderIdentity"), requests.toString());
    }

    @Test
    void aNewLeaseIsPostedWithItsTimes() throws JsonProcessingException {
        api.create(new LeaseBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("turn")
                .endMetadata()
                .withNewSpec()
                .withRenewTime(ZonedDateTime.parse("2026-02-03T04:05:06Z"))
                .endSpec()
                .build());
        assertTrue(requests.getFirst().startsWith("POST " + COLLECTION + " "), requests.toString());
        assertEquals(
                "2026-02-03T04:05:06.000000Z", sent(0).at("/spec/renewTime").asText());
    }

    @Test
    void refusalsAreToldApart() {
        Lease lease = read();
        refusal = 409;
        assertEquals(
                Kind.CONFLICT,
                assertThrows(KubeApiException.class, () -> api.replace(lease)).kind());
        assertEquals(
                Kind.ALREADY_EXISTS,
                assertThrows(KubeApiException.class, () -> api.create(lease)).kind());
        refusal = 403;
        assertEquals(
                Kind.FORBIDDEN,
                assertThrows(KubeApiException.class, () -> api.replace(lease)).kind());
        refusal = 503;
        assertEquals(
                Kind.UNAVAILABLE,
                assertThrows(KubeApiException.class, () -> api.replace(lease)).kind());
    }
}
