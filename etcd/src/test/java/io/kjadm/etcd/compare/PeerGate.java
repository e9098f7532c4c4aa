package io.kjadm.etcd.compare;

import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.MemberId;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands in front of a voter's peer port and can cut one member off: etcd names itself in the head
 * of every raft connection, so that the others' pass, and so do the questions a new member asks
 * before it runs.
 */
final class PeerGate implements AutoCloseable {

    private static final int LONGEST_HEAD = 1 << 16;

    private final ServerSocket door;
    private final URI inside = EtcdProcess.freeUrl();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile Optional<String> cutOff = Optional.empty();

    PeerGate() throws IOException {
        door = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofVirtual().start(this::serve);
    }

    /** Where the others reach the voter. */
    URI outside() {
        return URI.create("http://127.0.0.1:" + door.getLocalPort());
    }

    /** Where the voter listens. */
    URI inside() {
        return inside;
    }

    /**
     * From now on that member's raft connections are taken and never answered, as behind a
     * firewall.
     */
    void cutOff(MemberId member) {
        cutOff = Optional.of("x-server-from: " + member);
    }

    private void serve() {
        while (!door.isClosed()) {
            try {
                Socket caller = door.accept();
                open.add(caller);
                Thread.ofVirtual().start(() -> pass(caller));
            } catch (IOException e) {
                // closed
                return;
            }
        }
    }

    private void pass(Socket caller) {
        try {
            byte[] head = head(caller.getInputStream());
            String words = new String(head, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
            if (cutOff.filter(words::contains).isPresent()) {
                return;
            }
            var voter = new Socket(InetAddress.ofLiteral("127.0.0.1"), inside.getPort());
            open.add(voter);
            voter.getOutputStream().write(head);
            Thread.ofVirtual().start(() -> pump(voter, caller));
            pump(caller, voter);
        } catch (IOException e) {
            close(caller);
        }
    }

    private static byte[] head(InputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        int matched = 0;
        while (matched < 4 && head.size() < LONGEST_HEAD) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            head.write(next);
            matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
        }
        return head.toByteArray();
    }

    private void pump(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
        } catch (IOException e) {
            // one side has gone: so goes the other
        }
        close(from);
        close(to);
    }

    private void close(Socket socket) {
        open.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        Set.copyOf(open).forEach(this::close);
    }
}
