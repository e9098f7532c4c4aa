package io.kjadm.core.etcd.commands;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/** Knocks at ports of this machine. */
class TcpPeerProbeTest {

    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    @Test
    void whoeverListensIsHeard() throws IOException {
        try (ServerSocket etcd = new ServerSocket(0, 1, LOOPBACK)) {
            assertTrue(TcpPeerProbe.listens(peerUrl(etcd.getLocalPort())));
        }
    }

    @Test
    void whereNobodyListensNobodyIsHeard() throws IOException {
        // keeps the port from others, and does not listen there
        try (Socket mute = new Socket()) {
            mute.bind(new InetSocketAddress(LOOPBACK, 0));
            assertFalse(TcpPeerProbe.listens(peerUrl(mute.getLocalPort())));
        }
    }

    @Test
    void aUrlThatNobodyCanConnectToIsNoSignOfLife() {
        assertFalse(TcpPeerProbe.listens(URI.create("https://cp_4:2380")));
    }

    private static URI peerUrl(int port) {
        return URI.create("https://127.0.0.1:" + port);
    }
}
