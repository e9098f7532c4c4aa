package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.IDENTITY;
import static io.kjadm.etcd.check.EtcdRule.MEMBERS;

import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who else is listed: namesakes, members at our address, half-made ones, unreachable ones. What our
 * own entry of an earlier run means is decided when the member is announced; here it is only told.
 */
final class MembershipRules {

    private MembershipRules() {}

    static List<EtcdFinding> findings(Candidate candidate, ClusterFacts facts) {
        List<EtcdFinding> findings = new ArrayList<>();
        Optional<Member> own = candidate.own(facts.members());
        own.ifPresent(member -> findings.add(EtcdFinding.note(
                MEMBERS, "this node's peer URL is listed already, as " + member.describe())));
        for (Member member : facts.members()) {
            if (own.filter(member::equals).isPresent()) {
                continue;
            }
            taken(candidate, member).ifPresent(findings::add);
            unfinished(candidate, member).ifPresent(findings::add);
            loopback(candidate, member).ifPresent(findings::add);
        }
        return findings;
    }

    private static Optional<EtcdFinding> taken(Candidate candidate, Member member) {
        if (candidate.member().urlTakenBy(member)) {
            return Optional.of(EtcdFinding.error(
                    IDENTITY,
                    ("the peer URL %s is %s etcd member %s: choose another"
                                    + " advertise address, or remove that member if it is gone for good (kjadm etcd member remove %s)")
                            .formatted(
                                    candidate.member().urlsOf(member),
                                    member.peerUrls().size() > 1 ? "one of several of" : "that of",
                                    member.describe(),
                                    member.id())));
        }
        if (candidate.member().nameTakenBy(member)) {
            return Optional.of(EtcdFinding.error(
                    IDENTITY,
                    ("an etcd member named %s is listed with another peer URL: %s. Two members"
                                    + " of one name break the list a new member starts with; remove it if that node is gone for good (etcdctl"
                                    + " member remove %s), or join under another name")
                            .formatted(candidate.name(), member.describe(), member.id())));
        }
        return Optional.empty();
    }

    private static Optional<EtcdFinding> unfinished(Candidate candidate, Member member) {
        if (member.learner()) {
            return Optional.of(EtcdFinding.note(
                    MEMBERS,
                    ("another etcd member is joining: %s. This join waits for it; if it is not going"
                                    + " to start, remove it (kjadm etcd member remove %s)")
                            .formatted(member.describe(), member.id())));
        }
        if (member.started()) {
            return Optional.empty();
        }
        String what = "etcd voter %s has never started and yet counts for the quorum"
                .formatted(member.describe());
        return Optional.of(
                candidate.learner()
                        ? EtcdFinding.error(
                                MEMBERS,
                                what
                                        + "; start it, or remove it (kjadm etcd member remove %s)"
                                                .formatted(member.id()))
                        // without learners that is what a join beside this one looks like
                        : EtcdFinding.warning(
                                MEMBERS,
                                what
                                        + "; this join waits for it, unless it is removed (kjadm etcd member remove %s)"
                                                .formatted(member.id())));
    }

    /**
     * As clusters made before Kubernetes 1.13 have it; nobody but the node itself reaches such a
     * member.
     */
    private static Optional<EtcdFinding> loopback(Candidate candidate, Member member) {
        if (candidate.member().peerUrls().stream().allMatch(EtcdUrls::loopback)) {
            return Optional.empty();
        }
        if (member.peerUrls().stream().allMatch(EtcdUrls::loopback)
                && !member.peerUrls().isEmpty()) {
            return Optional.of(EtcdFinding.error(
                    MEMBERS,
                    ("etcd member %s has only a loopback address as peer URL, where no other"
                                    + " member reaches it; on its node, configure etcd to listen on a real address and run etcdctl member update %s"
                                    + " --peer-urls=https://ADDRESS:2380, then join again")
                            .formatted(member.describe(), member.id())));
        }
        if (member.started() && member.clientUrls().stream().allMatch(EtcdUrls::loopback)) {
            return Optional.of(EtcdFinding.warning(
                    MEMBERS,
                    ("etcd member %s advertises only a loopback address to clients, so that this"
                                    + " node cannot ask it; set --advertise-client-urls to a real address")
                            .formatted(member.describe())));
        }
        return Optional.empty();
    }
}
