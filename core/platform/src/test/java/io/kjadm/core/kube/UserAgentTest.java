package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpExchange;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.core.net.ServerTrust;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

class UserAgentTest {

    @Test
    void theServerSeesWhoAsks() throws IOException {
        String name = "kubeadm/v1.36.2 (kjadm 0.1.0)";
        AtomicReference<String> seen = new AtomicReference<>();
        try (LoopbackServer server = LoopbackServer.plain().at("/", call -> answer(call, seen));
                KubeApi api = new Fabric8Connector(Map.of(), warning -> {}, name)
                        .connect(new KubeAccess(
                                server.uri(),
                                new ServerTrust.Machine(),
                                new Credential.Anonymous()))) {
            api.list(ConfigMap.class, "a", Map.of());
        }
        assertEquals(name, seen.get());
    }

    private static void answer(HttpExchange call, AtomicReference<String> seen) throws IOException {
        seen.set(call.getRequestHeaders().getFirst("User-Agent"));
        byte[] list = "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[]}"
                .getBytes(StandardCharsets.UTF_8);
        call.getResponseHeaders().set("Content-Type", "application/json");
        call.sendResponseHeaders(200, list.length);
        call.getResponseBody().write(list);
        call.close();
    }
}
