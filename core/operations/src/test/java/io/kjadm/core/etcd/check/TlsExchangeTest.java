package io.kjadm.core.etcd.check;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** One answer of a server, byte by byte. */
class TlsExchangeTest {

    private static final Instant NOW = Instant.now();

    /** A connection to a server that has sent all this and sends no more. */
    private static final class Sent extends Socket {

        private final ByteArrayInputStream answer;
        private final ByteArrayOutputStream question = new ByteArrayOutputStream();

        private Sent(String answer) {
            this.answer = new ByteArrayInputStream(answer.getBytes(StandardCharsets.US_ASCII));
        }

        @Override
        public InputStream getInputStream() {
            return answer;
        }

        @Override
        public OutputStream getOutputStream() {
            return question;
        }

        private Optional<Duration> ask(String host) throws IOException {
            return new TlsExchange(InstantSource.system()).ask(this, host);
        }
    }

    @Test
    void theHostIsAskedAsItsUrlHasIt() throws Exception {
        Sent name = new Sent("HTTP/1.1 200 OK\r\n\r\n");
        name.ask("cp-1");
        assertHasLine("Host: cp-1", name.question.toString(StandardCharsets.US_ASCII));
        Sent address = new Sent("HTTP/1.1 200 OK\r\n\r\n");
        address.ask("2001:db8::1");
        assertHasLine("Host: [2001:db8::1]", address.question.toString(StandardCharsets.US_ASCII));
    }

    @Test
    void onlyTheHeaderIsRead() throws Exception {
        Sent sent = new Sent("HTTP/1.1 200 OK\r\nX: y\r\n\r\n{}\n");
        assertEquals(Optional.empty(), sent.ask("cp-1"));
        assertEquals("{}\n", new String(sent.answer.readAllBytes(), StandardCharsets.US_ASCII));
    }

    @Test
    void aHeaderWithoutEndIsReadInPart() throws Exception {
        Sent sent = new Sent("x".repeat(20 << 10));
        assertEquals(Optional.empty(), sent.ask("cp-1"));
        assertEquals(4 << 10, sent.answer.available());
    }

    @Test
    void aByteThatIsZeroDoesNotEndTheHeader() throws Exception {
        Sent sent = new Sent("HTTP/1.1 200 OK\r\nX: \0\r\nDate: %s\r\n\r\n"
                .formatted(
                        DateTimeFormatter.RFC_1123_DATE_TIME.format(NOW.atOffset(ZoneOffset.UTC))));
        assertTrue(sent.ask("cp-1").isPresent());
    }

    @Test
    void withinTheSecondThatADateStandsForClocksAgree() {
        assertEquals(
                Duration.ZERO, TlsExchange.ahead(NOW, NOW.plusMillis(900), NOW.plusMillis(950)));
        assertEquals(
                Duration.ofMillis(-500),
                TlsExchange.ahead(NOW, NOW.plusMillis(1500), NOW.plusMillis(1600)));
        assertEquals(
                Duration.ofSeconds(3),
                TlsExchange.ahead(NOW.plusSeconds(3), NOW.minusMillis(10), NOW));
    }
}
