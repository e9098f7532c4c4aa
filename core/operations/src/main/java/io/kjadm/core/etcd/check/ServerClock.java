package io.kjadm.core.etcd.check;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/** Reads the clock of an HTTPS server, as a port. */
@FunctionalInterface
public interface ServerClock {

    /**
     * How far its clock is ahead of ours (negative: behind); zero within a second.
     *
     * @param caPem whom the server's certificate must lead to
     * @throws IOException if it cannot be told
     */
    Duration ahead(URI server, String caPem) throws IOException;
}
