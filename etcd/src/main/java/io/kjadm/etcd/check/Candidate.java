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
 */
public record Candidate(
        String name,
        URI peerUrl,
        Optional<EtcdVersion> version,
        boolean learner,
        Concessions granted) {

    /**
     * What the operator accepts.
     *
     * @param degraded silent voters, as far as etcd itself accepts them
     * @param mixed voters of two minor versions
     * @param wipe loss of the data on this node that is of the cluster with this ID
     */
    public record Concessions(boolean degraded, boolean mixed, Optional<String> wipe) {

        /** Nothing that need not be. */
        public static final Concessions NONE = new Concessions(false, false, Optional.empty());
    }

    /** Its own entry in a member list, which an earlier run may have left. */
    public Optional<Member> own(List<Member> members) {
        return members.stream()
                .filter(member -> PeerUrls.of(member).equals(PeerUrls.of(peerUrl)))
                .findFirst();
    }
}
