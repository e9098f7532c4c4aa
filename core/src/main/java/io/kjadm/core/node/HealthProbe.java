package io.kjadm.core.node;

import java.net.URI;

/** Asks a component on this node whether it is healthy, as a port. */
@FunctionalInterface
public interface HealthProbe {

    /**
     * One GET without credentials and without verification of the server, since kubelet and
     * components use certificates of their own; at most two seconds.
     *
     * @return empty text if the answer is 200, else what was seen
     */
    String ask(URI url);
}
