package io.kjadm.core.preflight.machine;

import io.kjadm.core.net.HttpText;

import java.io.IOException;
import java.net.URI;

/** Reads a small document over HTTP, as a port. */
@FunctionalInterface
public interface HttpGetter {

    /**
     * Asks once, for at most ten seconds.
     *
     * @throws IOException if no answer came
     */
    HttpText.Answer get(URI uri) throws IOException;
}
