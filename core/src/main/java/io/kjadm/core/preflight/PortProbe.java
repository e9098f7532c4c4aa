package io.kjadm.core.preflight;

import io.kjadm.core.error.Causes;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;

/** Tries the TCP ports of the machine, as a port. */
@FunctionalInterface
public interface PortProbe {

    /** Why the port cannot be listened on at all addresses; empty if it can. */
    Optional<String> refusal(int port);

    /** Binds ports of this machine for a moment. */
    static PortProbe ofMachine() {
        return port -> {
            try (ServerSocket socket = new ServerSocket()) {
                // connections in TIME_WAIT of a former server are no reason to refuse
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(port));
                return Optional.empty();
            } catch (IOException e) {
                return Optional.of(Causes.words(e));
            }
        };
    }
}
