package io.kjadm.etcd;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * By what a node finds its own entries in the member list.
 *
 * @param id as the local etcd tells it; trusted more than addresses
 * @param peerUrls the URLs its manifest names
 */
public record OwnMember(Optional<MemberId> id, Set<URI> peerUrls) {

    public OwnMember {
        peerUrls = Set.copyOf(peerUrls);
    }

    /** Every entry of this node, its ID first; garbage of earlier joins is found by its URL. */
    List<Member> among(List<Member> members) {
        PeerUrls urls = new PeerUrls(peerUrls);
        return members.stream()
                .filter(member -> isThis(member) || PeerUrls.of(member).overlaps(urls))
                .sorted((one, other) -> Boolean.compare(isThis(other), isThis(one)))
                .toList();
    }

    private boolean isThis(Member member) {
        return id.filter(member.id()::equals).isPresent();
    }
}
