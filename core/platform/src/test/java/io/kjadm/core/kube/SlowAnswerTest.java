package io.kjadm.core.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.sun.net.httpserver.HttpHandler;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.core.net.ServerTrust;

import org.junit.jupiter.api.Test;

import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** API servers whose answers do not end. */
class SlowAnswerTest {

    private static final Duration GENEROUS = Duration.ofMinutes(2);

    private static KubeApiException refused(HttpHandler handler, Duration limit) {
        return assertTimeoutPreemptively(GENEROUS, () -> {
            try (LoopbackServer server = LoopbackServer.plain().at("/", handler);
                    KubeApi api = api(server, limit)) {
                return assertThrows(
                        KubeApiException.class, () -> api.list(ConfigMap.class, "a", Map.of()));
            }
        });
    }

    private static KubeApi api(LoopbackServer server, Duration limit) {
        return new Fabric8Connector(Map.of(), warning -> {}, limit)
                .connect(new KubeAccess(
                        server.uri(), new ServerTrust.Machine(), new Credential.Anonymous()));
    }

    @Test
    void anAnswerThatTricklesEndsWithTheLimit() {
        KubeApiException refused = refused(
                call -> LoopbackServer.trickle(call, new byte[] {' '}, Duration.ofMillis(20)),
                Duration.ofSeconds(1));
        assertEquals(Kind.UNREACHABLE, refused.kind());
    }

    @Test
    void anAnswerWithoutAnEndIsCutOff() {
        byte[] blanks = " ".repeat(1 << 16).getBytes(StandardCharsets.US_ASCII);
        KubeApiException refused =
                refused(call -> LoopbackServer.trickle(call, blanks, Duration.ZERO), GENEROUS);
        assertEquals(Kind.UNREACHABLE, refused.kind());
    }

    /** Which of the two gives up first is a matter of luck, and of how busy the machine is. */
    @Test
    void whetherFabric8OrTheClientBelowGivesUpIsTheSame() {
        for (Exception cause :
                List.of(new TimeoutException(), new HttpTimeoutException("request timed out"))) {
            var given = new KubernetesClientException("no answer", cause);
            KubeApiException translated = assertInstanceOf(
                    KubeApiException.class, Fabric8Api.translated(false, given), cause::toString);
            assertEquals(Kind.UNREACHABLE, translated.kind(), cause::toString);
        }
    }

    @Test
    void theWaitCanBeInterrupted() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (LoopbackServer server = LoopbackServer.plain().at("/", call -> {
                    asked.countDown();
                    LoopbackServer.trickle(call, new byte[] {' '}, Duration.ofMillis(20));
                });
                KubeApi api = api(server, GENEROUS)) {
            var failure = new AtomicReference<Throwable>();
            Thread waiting = Thread.ofPlatform()
                    .start(() -> failure.set(assertThrows(
                            KubeApiException.class, () -> api.get(ConfigMap.class, "a", "b"))));
            asked.await();
            waiting.interrupt();
            waiting.join(GENEROUS);
            assertEquals("the program was asked to stop", failure.get().getMessage());
        }
    }
}
