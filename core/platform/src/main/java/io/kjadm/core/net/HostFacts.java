package io.kjadm.core.net;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

/** What the defaults need to know about this machine and its surroundings. */
public interface HostFacts {

    /** The machine's name as the operating system has it. */
    String hostname();

    /** The interfaces and default routes. */
    NetworkFacts network();

    /** Whether something accepts connections at a unix socket. */
    boolean answers(Path socket);

    /**
     * The text behind a URL, for version labels; asked once, with a limit of 10 seconds.
     *
     * @throws IOException if there is no answer, or another one than success
     */
    String fetch(URI url) throws IOException;
}
