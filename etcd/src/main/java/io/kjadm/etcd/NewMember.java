package io.kjadm.etcd;

import java.net.URI;
import java.util.Objects;

/**
 * The member a node wants to become.
 *
 * @param name the node name, which etcd will publish
 * @param peerUrl {@code https://<advertise address>:2380}
 * @param trace what earlier runs left on this node
 */
public record NewMember(String name, URI peerUrl, LocalTrace trace) {

    public NewMember {
        if (name.isBlank()) {
            throw new IllegalArgumentException("an etcd member needs a name");
        }
        Objects.requireNonNull(peerUrl, "peerUrl");
        Objects.requireNonNull(trace, "trace");
    }

    /** A member on a node without any trace of etcd. */
    public NewMember(String name, URI peerUrl) {
        this(name, peerUrl, LocalTrace.NONE);
    }
}
