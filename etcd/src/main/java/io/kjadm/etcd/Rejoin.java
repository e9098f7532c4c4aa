package io.kjadm.etcd;

import java.util.List;
import java.util.Optional;

/** What the member list means for a node that wants to join: the decision table for first and repeated joins. */
sealed interface Rejoin {

    /** Nothing of ours is listed. */
    record Fresh() implements Rejoin {}

    /** Ours; go on with it. */
    record Resume(Member member) implements Rejoin {}

    /** A learner that started and whose data this node no longer has; without a vote it can be replaced safely. */
    record Replace(Member member) implements Rejoin {}

    record Stop(Announcement.Refused refusal) implements Rejoin {}

    /** @param added the member this adder has added itself */
    static Rejoin decide(List<Member> members, NewMember wanted, Optional<MemberId> added) {
        PeerUrls ours = PeerUrls.of(wanted.peerUrl());
        for (Member member : members) {
            PeerUrls theirs = PeerUrls.of(member);
            if (theirs.equals(ours)) {
                if (added.filter(member.id()::equals).isPresent()) {
                    // the trace is older than this run: data there by now is the member's own
                    return new Resume(member);
                }
                return member.learner() ? learner(member, wanted.trace()) : voter(member, wanted.trace());
            }
            if (theirs.overlaps(ours)) {
                return stop("the peer URL %s belongs to etcd member %s".formatted(wanted.peerUrl(), member.describe()),
                        "that member listens under several peer URLs and this one is among them",
                        "choose another advertise address, or remove that member: " + removal(member));
            }
        }
        for (Member member : members) {
            if (member.name().equals(wanted.name())) {
                return stop("an etcd member named %s is listed with another peer URL: %s"
                                .formatted(wanted.name(), member.describe()),
                        "two members of one name break the member list a new member starts with",
                        "if that node is gone for good, run " + removal(member) + "; otherwise join under another name");
            }
        }
        if (wanted.trace().dataPresent()) {
            return stop("the etcd data directory holds data of a member that is not listed",
                    "a removed member can never return, and another cluster's data must not be mixed in",
                    "run reset on this node, or move the data directory away, then join again");
        }
        return new Fresh();
    }

    private static Rejoin learner(Member member, LocalTrace trace) {
        if (member.started()) {
            return trace.dataPresent() ? new Resume(member) : new Replace(member);
        }
        if (trace.addedBefore(member)) {
            return new Resume(member);
        }
        return stop("a learner with our peer URL is listed that this node has not added: " + member.describe(),
                "another join of the same address may be running",
                "if none is, run " + removal(member) + " and join again");
    }

    private static Rejoin voter(Member member, LocalTrace trace) {
        if (!member.started()) {
            if (trace.addedBefore(member)) {
                return new Resume(member);
            }
            return stop("a voter with our peer URL is listed that has not started: " + member.describe(),
                    "it counts for the quorum, and nobody can tell whether it ever voted",
                    "while the other voters have a quorum, run " + removal(member) + " and join again");
        }
        if (trace.dataPresent()) {
            return new Resume(member);
        }
        return stop("this node is listed as voter %s but has no etcd data".formatted(member.describe()),
                "a voter that lost its data has forgotten what it promised and must never start again",
                "while the other voters have a quorum, run " + removal(member) + " and join again");
    }

    private static Rejoin stop(String what, String why, String next) {
        return new Stop(new Announcement.Refused(what, why, next));
    }

    private static String removal(Member member) {
        return "\"etcdctl member remove " + member.id() + "\"";
    }
}
