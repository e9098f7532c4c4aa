package io.kjadm.core.etcd.commands;

import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;

/**
 * Tries a member's peer port: an etcd that receives its first snapshot listens there and nowhere
 * else.
 */
public final class TcpPeerProbe {

    private static final Duration LIMIT = Duration.ofSeconds(2);

    private TcpPeerProbe() {}

    /**
     * Whether something accepts connections at the peer URL; connects for a moment, and says
     * nothing.
     */
    public static boolean listens(URI peerUrl) {
        try (Socket socket = new Socket()) {
            URI url = EtcdUrls.canonical(peerUrl, EtcdPorts.PEER);
            socket.connect(
                    new InetSocketAddress(EtcdUrls.host(url), url.getPort()),
                    Math.toIntExact(LIMIT.toMillis()));
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
        return true;
    }
}
