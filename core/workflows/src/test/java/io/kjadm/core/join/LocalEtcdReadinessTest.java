package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;

import io.kjadm.core.etcd.join.LocalEtcdProcess;
import io.kjadm.core.machine.HttpHealthProbe;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** Against a server that answers as etcd's metrics port does. */
class LocalEtcdReadinessTest {

    private HttpServer server;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private String missing(Map<String, Integer> pages) {
        pages.forEach((path, status) -> server.createContext(path, exchange -> {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        }));
        return new LocalEtcdProcess(
                        new HttpHealthProbe(),
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                        List::of,
                        new VirtualWaiter(),
                        new RecordingReporter())
                .notReadyReason();
    }

    @Test
    void readinessIsWhatCounts() {
        assertEquals("", missing(Map.of("/readyz", 200, "/health", 503)));
    }

    @Test
    void aMemberThatIsNotReadySaysSo() {
        String told = missing(Map.of("/readyz", 503, "/health", 200));
        assertTrue(told.endsWith("/readyz answers 503"), told);
    }

    @Test
    void olderEtcdIsAskedWhetherItIsHealthy() {
        assertEquals("", missing(Map.of("/health", 200)));
    }

    @Test
    void olderEtcdThatIsNotHealthySaysSo() {
        String told = missing(Map.of("/health", 503));
        assertTrue(told.endsWith("/health answers 503"), told);
    }

    @Test
    void nobodyThereIsTold() {
        server.stop(0);
        String told = missing(Map.of());
        assertEquals(
                "http://127.0.0.1:%d/readyz: Connection refused"
                        .formatted(server.getAddress().getPort()),
                told);
    }
}
