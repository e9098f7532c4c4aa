package io.kjadm.core.preflight;

import java.util.Optional;

/** Tries the TCP ports of this machine. */
public interface PortProbe {

    /** Why the port cannot be listened on at all addresses; empty if it can. */
    Optional<String> refusal(int port);
}
