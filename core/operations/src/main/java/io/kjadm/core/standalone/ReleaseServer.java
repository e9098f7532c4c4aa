package io.kjadm.core.standalone;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;

/** Where releases come from, as a port. */
@FunctionalInterface
public interface ReleaseServer {

    /**
     * Passes a file on as it comes.
     *
     * @param limit in bytes
     * @throws IOException if there is none, it does not come as a whole, or it is longer
     */
    void fetch(URI url, long limit, OutputStream into) throws IOException;
}
