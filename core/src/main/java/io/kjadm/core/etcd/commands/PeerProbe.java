package io.kjadm.core.etcd.commands;

import java.net.URI;

/**
 * Tries a member's peer port, as a port: an etcd that receives its first snapshot listens there and
 * nowhere else.
 */
@FunctionalInterface
public interface PeerProbe {

    /** Whether something accepts connections at the peer URL. */
    boolean listens(URI peerUrl);
}
