package io.kjadm.core.preflight;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a host name, as a port. */
@FunctionalInterface
public interface NameResolver {

    /**
     * The addresses, at least one.
     *
     * @throws UnknownHostException if there are none
     */
    List<InetAddress> resolve(String host) throws UnknownHostException;

    /** The resolver of this machine. */
    static NameResolver ofMachine() {
        return host -> List.of(InetAddress.getAllByName(host));
    }
}
