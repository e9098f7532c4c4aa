package io.kjadm.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Adds the member as a voter at once, as kubeadm did before learners. From that instant the member counts for the quorum:
 * a second voter that never starts stops a cluster of one for good. Kept for clusters that switch EtcdLearnerMode off.
 */
public final class LegacyVotingMemberAdder implements MemberAdder {

    private final Announcer announcer = new Announcer(EtcdCluster::addVoter, false, LegacyVotingMemberAdder::silentVoter);

    @Override
    public Announcement announce(EtcdCluster cluster, NewMember wanted) {
        return announcer.announce(cluster, wanted);
    }

    /** With a vote at stake from the start, every present voter must be well. */
    private static Optional<Announcement> silentVoter(EtcdHealth health) {
        if (health.healthyVoters() == health.quorum().voters()) {
            return Optional.empty();
        }
        return Optional.of(
                new Announcement.MustWait(WaitReason.UNHEALTHY, health.ailing(), Duration.ofSeconds(1)));
    }

    @Override
    public Settlement settle(EtcdCluster cluster, MemberId id) {
        try {
            List<Member> members = cluster.members();
            return members.stream().filter(member -> member.id().equals(id)).findFirst()
                    .map(member -> settled(member, members))
                    .orElseGet(() -> new Settlement.Gone(id));
        } catch (EtcdCallException e) {
            return switch (e.errorClass()) {
                case DONE, WAIT, TRANSIENT, AMBIGUOUS ->
                        new Settlement.CatchingUp(id, e.getMessage(), Optional.empty());
                case NEEDS_HUMAN, FATAL -> new Settlement.Failed(id, "etcd member " + id + " cannot be followed",
                        e.getMessage(), "look at the etcd container of this node and at \"etcdctl member list\"");
            };
        }
    }

    private static Settlement settled(Member member, List<Member> members) {
        if (member.learner()) {
            return new Settlement.Failed(member.id(), "member " + member.describe() + " is a learner",
                    "without EtcdLearnerMode nobody promotes it", "switch EtcdLearnerMode on and join again");
        }
        if (!member.started()) {
            return new Settlement.CatchingUp(member.id(), "the member has not started yet", Optional.empty());
        }
        return new Settlement.Voter(member, members);
    }

    /** A voter is never removed without being asked: it may have voted already. */
    @Override
    public Withdrawal withdraw(EtcdCluster cluster, NewMember wanted) {
        try {
            return announcer.own(cluster.members(), wanted).<Withdrawal>map(member -> new Withdrawal.Kept(
                            "etcd member " + member.describe() + " is still listed",
                            "it was added as a voter, and removing a voter is for an operator to decide",
                            "start it, or run \"etcdctl member remove " + member.id() + "\" while there is a quorum"))
                    .orElseGet(Withdrawal.NothingListed::new);
        } catch (EtcdCallException e) {
            return new Withdrawal.Kept("the etcd member may still be listed", e.getMessage(),
                    "look at \"etcdctl member list\" as soon as etcd answers");
        }
    }
}
