package io.kjadm.core.preflight.machine;

import io.kjadm.core.error.Causes;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.util.Optional;

/** Tries the TCP ports of the machine, as a port. */
@FunctionalInterface
public interface PortProbe {

    /**
     * Why the port cannot be listened on; empty if it can.
     *
     * @param address of this machine; empty for all of them
     */
    Optional<String> refusal(String address, int port);

    /** Why the port cannot be listened on at all addresses; empty if it can. */
    default Optional<String> refusal(int port) {
        return refusal("", port);
    }

    /** Binds ports of this machine for a moment. */
    static PortProbe ofMachine() {
        return (address, port) -> {
            try (ServerSocket socket = new ServerSocket()) {
                // connections in TIME_WAIT of a former server are no reason to refuse
                socket.setReuseAddress(true);
                socket.bind(at(address, port));
                return Optional.empty();
            } catch (IOException e) {
                return Optional.of(Causes.words(e));
            }
        };
    }

    /** An address that is not this machine's, as behind a NAT, says nothing of where to listen. */
    private static InetSocketAddress at(String address, int port) throws IOException {
        if (address.isEmpty()) {
            return new InetSocketAddress(port);
        }
        InetAddress parsed = InetAddress.ofLiteral(address);
        boolean own =
                parsed.isAnyLocalAddress() || NetworkInterface.getByInetAddress(parsed) != null;
        return own ? new InetSocketAddress(parsed, port) : new InetSocketAddress(port);
    }
}
