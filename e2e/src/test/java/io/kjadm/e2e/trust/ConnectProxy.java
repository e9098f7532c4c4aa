package io.kjadm.e2e.trust;

import io.kjadm.e2e.lab.Node;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An HTTP proxy on the network of a lab that knows {@code CONNECT} and nothing else, and keeps
 * whereto it was asked to connect.
 */
public final class ConnectProxy implements AutoCloseable {
    private static final int LONGEST_HEAD = 1 << 14;

    private final ServerSocket server;
    private final Map<String, String> names;
    private final List<String> targets = new CopyOnWriteArrayList<>();

    private ConnectProxy(ServerSocket server, Map<String, String> names) {
        this.server = server;
        this.names = names;
    }

    /**
     * Serves whoever is on the network of a node.
     *
     * @param names host names that only the nodes know, and their addresses
     */
    public static ConnectProxy near(Node node, Map<String, String> names) {
        var here = node.shell("ip route show default | awk '{print $3}'");
        try {
            var proxy = new ConnectProxy(
                    new ServerSocket(0, 50, InetAddress.getByName(here)), Map.copyOf(names));
            Thread.ofVirtual().start(proxy::serve);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen at " + here, e);
        }
    }

    /** As HTTPS_PROXY has it. */
    public String url() {
        return "http://%s:%d"
                .formatted(server.getInetAddress().getHostAddress(), server.getLocalPort());
    }

    /** Each {@code host:port} that somebody wanted to be connected to, in their order. */
    public List<String> targets() {
        return List.copyOf(targets);
    }

    /** Forgets them. */
    public void clear() {
        targets.clear();
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                var client = server.accept();
                Thread.ofVirtual().start(() -> connect(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        try (client;
                var in = new BufferedInputStream(client.getInputStream())) {
            var words = head(in).split("\\s+");
            if (!words[0].equals("CONNECT")) {
                targets.add(words[0] + " " + words[1]);
                answer(client, "405 Method Not Allowed");
                return;
            }
            targets.add(words[1]);
            var colon = words[1].lastIndexOf(':');
            var host = words[1].substring(0, colon).replaceAll("[\\[\\]]", "");
            try (var onward = new Socket()) {
                onward.connect(new InetSocketAddress(
                        names.getOrDefault(host, host),
                        Integer.parseInt(words[1].substring(colon + 1))));
                answer(client, "200 Connection established");
                var back = Thread.ofVirtual().start(() -> pass(onward, client));
                in.transferTo(onward.getOutputStream());
                onward.shutdownOutput();
                back.join();
            }
        } catch (IOException ended) {
            // one of the two has gone, and the other is told by the end of its connection
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pass(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException ended) {
            // as above
        }
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0 || head.length() > LONGEST_HEAD) {
                throw new IOException("no request");
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private static void answer(Socket client, String status) throws IOException {
        client.getOutputStream()
                .write("HTTP/1.1 %s\r\n\r\n".formatted(status).getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
