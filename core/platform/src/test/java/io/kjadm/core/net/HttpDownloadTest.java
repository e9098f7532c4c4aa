package io.kjadm.core.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

class HttpDownloadTest {

    private final HttpDownload download = new HttpDownload(Map.of(), Duration.ofMinutes(1));
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

    private URI url(String path) {
        return URI.create("http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path));
    }

    private void page(String path, byte[] content) {
        server.createContext(path, exchange -> {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
            exchange.close();
        });
    }

    private void redirect(String path, String to) {
        server.createContext(path, exchange -> {
            exchange.getResponseHeaders().add("Location", to);
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
    }

    private byte[] fetched(String path) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        download.fetch(url(path), 4 << 20, bytes);
        return bytes.toByteArray();
    }

    @Test
    void aLongFileComesWhole() throws IOException {
        page("/release", new byte[3 << 20]);
        assertEquals(3 << 20, fetched("/release").length);
    }

    @Test
    void redirectsAreFollowed() throws IOException {
        page("/file", "content".getBytes(StandardCharsets.UTF_8));
        redirect("/latest", "/file");
        assertEquals(7, fetched("/latest").length);
    }

    @Test
    void redirectsInACircleEnd() {
        redirect("/round", "/round");
        assertThrows(IOException.class, () -> fetched("/round"));
    }

    @Test
    void whatIsNotThereIsAFailure() {
        IOException failure = assertThrows(IOException.class, () -> fetched("/nothing"));
        assertEquals("HTTP status 404", failure.getMessage());
    }

    @Test
    void noMoreComesThanWasAskedFor() {
        page("/endless", new byte[5 << 20]);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        IOException failure = assertThrows(
                IOException.class, () -> download.fetch(url("/endless"), 4 << 20, bytes));

        assertEquals("it is longer than 4194304 bytes", failure.getMessage());
        assertTrue(bytes.size() <= 4 << 20);
    }
}
