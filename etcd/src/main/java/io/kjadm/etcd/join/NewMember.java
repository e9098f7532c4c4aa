package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.PeerUrls;

import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The member a node wants to become.
 *
 * @param name the node name, which etcd will publish
 * @param peerUrls {@code https://<advertise address>:2380}; etcd lets a member have several
 * @param here     whether the run that adds it starts it, on this machine
 */
public record NewMember(String name, List<URI> peerUrls, boolean here) {

    public NewMember {
        if (name.isBlank()) {
            throw new IllegalArgumentException("an etcd member needs a name");
        }
        peerUrls = List.copyOf(peerUrls);
        if (peerUrls.isEmpty()) {
            throw new IllegalArgumentException("an etcd member needs a peer URL");
        }
    }

    /** With one peer URL, as every member that this program starts has. */
    public NewMember(String name, URI peerUrl) {
        this(name, List.of(peerUrl), true);
    }

    /** One of another machine, where somebody else starts it. */
    public static NewMember elsewhere(String name, List<URI> peerUrls) {
        return new NewMember(name, peerUrls, false);
    }

    /** The first of the peer URLs, as they were named. */
    public URI peerUrl() {
        return peerUrls.getFirst();
    }

    /** All of them between commas, as etcd's flags take them. */
    public String peerUrlText() {
        return peerUrls.stream().map(URI::toString).collect(Collectors.joining(","));
    }

    /** Whether the listed member has exactly our peer URLs: then it is ours, or meant to be. */
    public boolean hasUrlOf(Member member) {
        return PeerUrls.of(member).equals(PeerUrls.of(peerUrls));
    }

    /** Whether a member that is not ours has a peer URL of ours, be it among several. */
    public boolean urlTakenBy(Member other) {
        return PeerUrls.of(other).overlaps(PeerUrls.of(peerUrls));
    }

    /** Which of our peer URLs another member has, between commas. */
    public String urlsOf(Member other) {
        return peerUrls.stream()
                .filter(url -> PeerUrls.of(other).overlaps(PeerUrls.of(url)))
                .map(URI::toString)
                .collect(Collectors.joining(","));
    }

    /** Whether a member that is not ours has our name: the list we start with would be broken. */
    public boolean nameTakenBy(Member other) {
        return other.name().equals(name);
    }
}
