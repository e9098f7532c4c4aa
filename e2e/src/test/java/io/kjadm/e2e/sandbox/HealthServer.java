package io.kjadm.e2e.sandbox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Answers every question with {@code ok}, on the loopback. */
final class HealthServer {
    private HealthServer() {}

    static void https(int port, String name) throws IOException {
        var server = HttpsServer.create(new InetSocketAddress("127.0.0.1", port), 10);
        server.setHttpsConfigurator(new HttpsConfigurator(Tls.selfSigned(name)));
        serve(server);
    }

    static void http(int port) throws IOException {
        serve(HttpServer.create(new InetSocketAddress("127.0.0.1", port), 10));
    }

    private static void serve(HttpServer server) {
        server.createContext("/", HealthServer::ok);
        server.start();
    }

    private static void ok(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 2);
        exchange.getResponseBody().write("ok".getBytes(StandardCharsets.US_ASCII));
        exchange.close();
    }
}
