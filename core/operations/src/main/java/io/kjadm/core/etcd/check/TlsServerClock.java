package io.kjadm.core.etcd.check;

import io.kjadm.etcd.EtcdUrls;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads the {@code Date} of an answer, whatever the answer: a server that wants to know who asks
 * tells the time all the same.
 */
record TlsServerClock(Supplier<TlsExchange> exchanges) implements ServerClock {

    private static final int HTTPS = 443;

    TlsServerClock(InstantSource clock) {
        this(() -> new TlsExchange(clock));
    }

    @Override
    public Duration ahead(URI server, String caPem) throws IOException {
        String host = host(server);
        int port = server.getPort() == -1 ? HTTPS : server.getPort();
        TlsExchange exchange = exchanges.get();
        try (Socket socket = exchange.connect(host, port, Optional.empty())) {
            return exchange.ask(
                            exchange.handshake(socket, host, port, exchange.context(caPem, "", "")),
                            host)
                    .orElseThrow(() -> new IOException("its response has no usable Date header"));
        } catch (IOException e) {
            throw exchange.expired() ? new IOException("it does not complete its response", e) : e;
        }
    }

    private static String host(URI server) throws IOException {
        try {
            return EtcdUrls.host(server);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
