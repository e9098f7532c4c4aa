package io.kjadm.core.etcd.check;

import io.kjadm.etcd.check.PeerContact;

import java.net.InetAddress;
import java.net.URI;

/** Calls a member's port as another member would, as a port. */
@FunctionalInterface
public interface PeerDialer {

    /**
     * One connection, one harmless question, at most about 5 s.
     *
     * @param source the address the call should come from; another one is tried if this machine
     *         does not have it
     */
    PeerContact call(URI url, InetAddress source, PeerCredentials credentials);
}
