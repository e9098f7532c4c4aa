package io.kjadm.store;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.util.Optional;

/** Through which proxy the requests of a bucket go. */
@FunctionalInterface
public interface StoreProxies {

    /** All go to their server directly. */
    StoreProxies NONE = _ -> Optional.empty();

    /**
     * The proxy for requests to a server; empty if they go there directly.
     *
     * @throws IOException if the proxy that is prescribed cannot be used
     */
    Optional<StoreProxy> proxyFor(URI server) throws IOException;

    /**
     * A proxy that speaks HTTP.
     *
     * @param address may be unresolved
     * @param login   if it wants to know who asks
     */
    record StoreProxy(InetSocketAddress address, Optional<PasswordAuthentication> login) {

        @Override
        public String toString() {
            return "StoreProxy[%s]".formatted(address);
        }
    }
}
