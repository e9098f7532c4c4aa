package io.kjadm.etcd.check;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.PeerUrls;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * The member that wants in.
 *
 * @param name the node name, which etcd will publish
 * @param version of its etcd, by the image's tag; empty if the tag tells none
 * @param learner whether it is added as a learner; otherwise it votes at once
 * @param allowDegraded whether the operator accepts silent voters as far as etcd itself does
 * @param wipe ID of the cluster whose data on this node the operator gives up
 */
public record Candidate(String name, URI peerUrl, Optional<EtcdVersion> version, boolean learner,
        boolean allowDegraded, Optional<String> wipe) {

    /** Its own entry in a member list, which an earlier run may have left. */
    public Optional<Member> own(List<Member> members) {
        return members.stream().filter(member -> PeerUrls.of(member).equals(PeerUrls.of(peerUrl))).findFirst();
    }
}
