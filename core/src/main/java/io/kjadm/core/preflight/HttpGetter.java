package io.kjadm.core.preflight;

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
    Answer get(URI uri) throws IOException;

    /** Status and text of an answer. */
    record Answer(int status, String body) {}
}
