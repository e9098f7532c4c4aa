package io.kjadm.core.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.kjadm.pki.CertificateAuthority;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import javax.net.ssl.KeyManager;

class HttpTextTest {

    private static final CertificateAuthority CA = LoopbackServer.authority("company");
    private static final Duration GENEROUS = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private static HttpText text(Duration limit) throws Exception {
        return HttpText.direct(
                ClientTls.context(
                        new ServerTrust.Pinned(CA.certificatePem()), new KeyManager[0], Map.of()),
                limit);
    }

    private static IOException refused(Duration limit, URI url) {
        return assertTimeoutPreemptively(
                GENEROUS,
                () -> assertThrows(IOException.class, () -> text(limit).get(url)));
    }

    @Test
    void anAnswerIsReadWhateverItsStatus() throws Exception {
        try (LoopbackServer server =
                LoopbackServer.tls(CA).answering("/a", 200, "yes").answering("/b", 503, "no")) {
            assertEquals(
                    new HttpText.Answer(200, "yes"),
                    text(GENEROUS).get(server.uri().resolve("/a")));
            assertEquals(
                    new HttpText.Answer(503, "no"),
                    text(GENEROUS).get(server.uri().resolve("/b")));
        }
    }

    @Test
    void theCasOfTheMachineVerify() throws Exception {
        Path bundle = Files.writeString(folder.resolve("ca.pem"), CA.certificatePem());
        Map<String, String> environment =
                Map.of("SSL_CERT_FILE", bundle.toString(), "SSL_CERT_DIR", "/none");
        try (LoopbackServer server = LoopbackServer.tls(CA).answering("/", 200, "yes")) {
            assertEquals(
                    "yes",
                    HttpText.ofMachine(environment, GENEROUS).get(server.uri()).body());
            assertThrows(
                    IOException.class,
                    () -> HttpText.ofMachine(Map.of(), GENEROUS).get(server.uri()));
        }
    }

    @Test
    void anAnswerThatTricklesEndsWithTheLimit() throws Exception {
        try (LoopbackServer server = LoopbackServer.plain()
                .at(
                        "/",
                        call -> LoopbackServer.trickle(call, new byte[1], Duration.ofMillis(20)))) {
            String message = refused(Duration.ofSeconds(1), server.uri()).getMessage();
            assertEquals("no complete answer within 1 s", message);
        }
    }

    @Test
    void anAnswerWithoutAnEndIsCutOff() throws Exception {
        try (LoopbackServer server = LoopbackServer.plain()
                .at("/", call -> LoopbackServer.trickle(call, new byte[1 << 16], Duration.ZERO))) {
            String message = refused(GENEROUS, server.uri()).getMessage();
            assertEquals("body exceeds capacity: 1048576", message);
        }
    }

    @Test
    void theWaitCanBeInterrupted() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (LoopbackServer server = LoopbackServer.plain().at("/", call -> {
            asked.countDown();
            LoopbackServer.trickle(call, new byte[1], Duration.ofMillis(20));
        })) {
            var failure = new AtomicReference<Throwable>();
            Thread waiting = Thread.ofPlatform()
                    .start(() -> failure.set(assertThrows(
                            IOException.class, () -> text(GENEROUS).get(server.uri()))));
            asked.await();
            waiting.interrupt();
            waiting.join(GENEROUS);
            assertEquals("the program was asked to stop", failure.get().getMessage());
        }
    }
}
