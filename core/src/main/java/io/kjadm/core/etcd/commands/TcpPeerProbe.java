package io.kjadm.core.etcd.commands;

import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;

/** Connects for a moment, and says nothing. */
public final class TcpPeerProbe implements PeerProbe {

    private static final Duration LIMIT = Duration.ofSeconds(2);

    @Override
    public boolean listens(URI peerUrl) {
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
