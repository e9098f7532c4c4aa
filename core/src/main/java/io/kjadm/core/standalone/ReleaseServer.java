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
     * @throws IOException if there is none, or it does not come as a whole
     */
    void fetch(URI url, OutputStream into) throws IOException;
}
