package io.kjadm.core.preflight.machine;

import io.kjadm.core.phase.Reporter;

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

    /**
     * That of a dry run, which asks no name server: it names what it would look up, and finds the
     * loopback address.
     */
    static NameResolver reporting(Reporter out) {
        return host -> {
            out.step("dryrun", "Would look up the address of host \"%s\"".formatted(host));
            return List.of(InetAddress.getLoopbackAddress());
        };
    }
}
