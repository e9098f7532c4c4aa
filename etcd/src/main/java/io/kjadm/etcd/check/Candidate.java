package io.kjadm.etcd.check;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RejoinOptions;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * The member that wants in.
 *
 * @param version of its etcd, by the image's tag; empty if the tag tells none
 * @param learner whether it is added as a learner; otherwise it votes at once
 * @param granted what the operator puts up with
 */
public record Candidate(
        NewMember member, Optional<EtcdVersion> version, boolean learner, RejoinOptions granted) {

    public String name() {
        return member.name();
    }

    public URI peerUrl() {
        return member.peerUrl();
    }

    /** Its own entry in a member list, which an earlier run may have left. */
    public Optional<Member> own(List<Member> members) {
        return members.stream().filter(member::hasUrlOf).findFirst();
    }
}
