package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.PeerUrls;

import java.net.URI;
import java.util.Objects;

/**
 * The member a node wants to become.
 *
 * @param name the node name, which etcd will publish
 * @param peerUrl {@code https://<advertise address>:2380}
 */
public record NewMember(String name, URI peerUrl) {

    public NewMember {
        if (name.isBlank()) {
            throw new IllegalArgumentException("an etcd member needs a name");
        }
        Objects.requireNonNull(peerUrl, "peerUrl");
    }

    /** Whether the listed member has exactly our peer URL: then it is ours, or meant to be. */
    public boolean hasUrlOf(Member member) {
        return PeerUrls.of(member).equals(PeerUrls.of(peerUrl));
    }

    /** Whether a member that is not ours has our peer URL, be it among several. */
    public boolean urlTakenBy(Member other) {
        return PeerUrls.of(other).overlaps(PeerUrls.of(peerUrl));
    }

    /** Whether a member that is not ours has our name: the list we start with would be broken. */
    public boolean nameTakenBy(Member other) {
        return other.name().equals(name);
    }
}
