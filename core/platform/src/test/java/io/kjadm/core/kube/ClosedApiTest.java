package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.core.net.ServerTrust;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What is left of a client that was closed. */
class ClosedApiTest {

    private static Set<Thread> networkThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().endsWith("SelectorManager"))
                .collect(Collectors.toSet());
    }

    /** The JVM's exit would wait a third of a second for it. */
    @Test
    void noThreadWaitsForTheNetworkAnyMore() throws Exception {
        Set<Thread> before = networkThreads();
        try (LoopbackServer server = LoopbackServer.plain().at("/", call -> {
                    call.sendResponseHeaders(404, -1);
                    call.close();
                });
                KubeApi api = new Fabric8Connector(Map.of(), warning -> {})
                        .connect(new KubeAccess(
                                server.uri(),
                                new ServerTrust.Machine(),
                                new Credential.Anonymous()))) {
            assertTrue(api.get(ConfigMap.class, "a", "b").isEmpty());
            assertFalse(before.containsAll(networkThreads()), "there is one while it is open");
        }
        Set<Thread> left = new HashSet<>(networkThreads());
        left.removeAll(before);
        Instant end = Instant.now().plus(Duration.ofMinutes(1));
        while (left.stream().anyMatch(Thread::isAlive) && Instant.now().isBefore(end)) {
            Thread.sleep(10);
        }
        assertFalse(left.stream().anyMatch(Thread::isAlive), left::toString);
    }
}
