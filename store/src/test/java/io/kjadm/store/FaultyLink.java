package io.kjadm.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Carries connections to a server, and damages some of what goes through. */
final class FaultyLink implements AutoCloseable {

    private final ServerSocket here;
    private final int server;
    /** A client keeps them for the next call, and the next link may get the same port. */
    private final Set<Socket> carried = ConcurrentHashMap.newKeySet();

    /** Connections that are answered with 503, from now on. */
    final AtomicInteger refusals = new AtomicInteger();
    /** What connections are answered instead; empty if the server answers. */
    private volatile String answer = "";
    /** Connections of which the answer is carried out and lost, from now on. */
    final AtomicInteger lostAnswers = new AtomicInteger();
    /** Answers are cut after so many bytes; 0 for never. */
    volatile int cutAfter;

    FaultyLink(int server) throws IOException {
        this.server = server;
        here = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return here.getLocalPort();
    }

    /** Answers all that follows with that error. */
    void answer(int status, String code) {
        String body = "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>no</Message></Error>"
                .formatted(code);
        answer =
                "HTTP/1.1 %d Told\r\nContent-Type: application/xml\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                        .formatted(status, body.length(), body);
    }

    private void accept() {
        while (!here.isClosed()) {
            try {
                Socket client = here.accept();
                carried.add(client);
                if (here.isClosed()) {
                    client.close();
                }
                Thread.ofVirtual().start(() -> carry(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void carry(Socket client) {
        try (client;
                Socket to = new Socket(InetAddress.getLoopbackAddress(), server)) {
            if (refusals.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
                client.getInputStream().read(new byte[65_536]);
                client.getOutputStream()
                        .write(
                                "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                return;
            }
            if (!answer.isEmpty()) {
                client.getInputStream().read(new byte[65_536]);
                client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                return;
            }
            Thread.ofVirtual().start(() -> copy(client, to));
            answer(to.getInputStream(), client.getOutputStream());
        } catch (IOException e) {
            // as when a line is cut
        } finally {
            carried.remove(client);
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // the other direction ends it
        }
    }

    private void answer(InputStream from, OutputStream to) throws IOException {
        byte[] bytes = new byte[8192];
        int passed = 0;
        for (int read = from.read(bytes); read != -1; read = from.read(bytes)) {
            if (lostAnswers.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
                return;
            }
            if (cutAfter > 0 && passed + read > cutAfter) {
                to.write(bytes, 0, Math.max(0, cutAfter - passed));
                return;
            }
            to.write(bytes, 0, read);
            passed += read;
        }
    }

    @Override
    public void close() {
        try {
            here.close();
            for (Socket client : carried) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
