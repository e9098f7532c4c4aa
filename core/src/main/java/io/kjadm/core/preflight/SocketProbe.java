package io.kjadm.core.preflight;

import io.kjadm.core.error.Causes;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;

/** Binds a port for a moment. */
public final class SocketProbe implements PortProbe {

    @Override
    public Optional<String> refusal(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // connections in TIME_WAIT of a former server are no reason to refuse
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(Causes.words(e));
        }
    }
}
