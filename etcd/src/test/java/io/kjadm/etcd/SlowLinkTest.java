package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Random;

class SlowLinkTest {

    private static final Duration ROUND_TRIP = Duration.ofMillis(200);

    /** Answers each connection with what it has been sent. */
    private static ServerSocket echo() throws IOException {
        ServerSocket echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            while (!echo.isClosed()) {
                try {
                    Socket one = echo.accept();
                    Thread.ofVirtual().start(() -> {
                        try (one) {
                            one.getInputStream().transferTo(one.getOutputStream());
                        } catch (IOException e) {
                            // the test has ended
                        }
                    });
                } catch (IOException e) {
                    return;
                }
            }
        });
        return echo;
    }

    private static long millis(byte[] sent, Duration roundTrip, long bits) throws IOException {
        try (ServerSocket echo = echo();
                SlowLink link = new SlowLink(
                        URI.create("http://127.0.0.1:" + echo.getLocalPort()), roundTrip, bits);
                Socket client =
                        new Socket(InetAddress.getLoopbackAddress(), link.url().getPort())) {
            long begun = System.nanoTime();
            Thread.ofVirtual().start(() -> {
                try {
                    client.getOutputStream().write(sent);
                    client.shutdownOutput();
                } catch (IOException e) {
                    // the answer lacks it
                }
            });
            assertArrayEquals(sent, client.getInputStream().readAllBytes());
            return Duration.ofNanos(System.nanoTime() - begun).toMillis();
        }
    }

    @Test
    void anAnswerTakesARoundTripAtLeast() throws IOException {
        assertTrue(millis(new byte[1], ROUND_TRIP, 0) >= ROUND_TRIP.toMillis());
    }

    /** 200,000 bytes in a line of 8 Mbit/s: 200 ms, and the same back, of which most passes at once. */
    @Test
    void whatGoesThroughIsTheSameAndTakesAsLongAsTheLineIsNarrow() throws IOException {
        byte[] sent = new byte[200_000];
        new Random(1).nextBytes(sent);
        assertTrue(millis(sent, Duration.ZERO, 8_000_000) >= 200);
        assertTrue(millis(sent, Duration.ZERO, 80_000_000) >= 20);
    }
}
