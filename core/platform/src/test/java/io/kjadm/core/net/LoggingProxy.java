package io.kjadm.core.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A proxy of this machine that notes what it is asked for, and leads every request to one server,
 * whatever name it was meant for.
 */
public final class LoggingProxy implements AutoCloseable {

    private static final String REFUSAL = """
            HTTP/1.1 407 Proxy Authentication Required\r
            Proxy-Authenticate: Basic realm="proxy"\r
            Content-Length: 0\r
            Connection: close\r
            \r
            """;

    private final ServerSocket socket;
    private final int target;
    private final boolean asks;
    private final List<String> heads = new CopyOnWriteArrayList<>();

    public LoggingProxy(LoopbackServer target) throws IOException {
        this(target, false);
    }

    /** @param asks whether it refuses requests that do not tell who asks */
    public LoggingProxy(LoopbackServer target, boolean asks) throws IOException {
        this.asks = asks;
        this.socket = new ServerSocket(0, 50, LoopbackServer.LOCAL);
        this.target = target.port();
        Thread.ofVirtual().start(this::serve);
    }

    /** {@code 127.0.0.1:port}. */
    public String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    /** First line and headers of each request. */
    public List<String> heads() {
        return heads;
    }

    private void serve() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                Thread.ofVirtual().start(() -> lead(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void lead(Socket client) {
        try (client;
                Socket server = new Socket(LoopbackServer.LOCAL, target)) {
            String head = head(client.getInputStream());
            heads.add(head);
            if (asks && !head.toLowerCase(Locale.ROOT).contains("\r\nproxy-authorization: ")) {
                client.getOutputStream().write(REFUSAL.getBytes(StandardCharsets.US_ASCII));
                return;
            }
            if (head.startsWith("CONNECT")) {
                client.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            } else {
                server.getOutputStream()
                        .write(head.replaceFirst(" http://[^/]+", " ")
                                .getBytes(StandardCharsets.US_ASCII));
            }
            Thread answers = Thread.ofVirtual().start(() -> pump(server, client));
            pump(client, server);
            answers.join();
        } catch (IOException | InterruptedException e) {
            // what the client sees is what is tested
        }
    }

    private static void pump(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // one of them has gone
        }
    }

    private static String head(InputStream in) throws IOException {
        var bytes = new ByteArrayOutputStream();
        while (!bytes.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
