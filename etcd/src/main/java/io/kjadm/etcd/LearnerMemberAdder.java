package io.kjadm.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Adds a learner and promotes it when it has caught up (KEP-3614): a member that never starts costs the others nothing.
 */
public final class LearnerMemberAdder implements MemberAdder {

    /** etcd promotes at nine tenths of the leader's index, which may be any number of entries; this is our own limit. */
    static final long LAG_LIMIT = 1000;

    private final Announcer announcer = new Announcer(EtcdCluster::addLearner, true, LearnerMemberAdder::noLearners);
    private Optional<Long> commitAtStart = Optional.empty();
    private boolean closeBefore;
    private boolean promoteSent;
    private boolean lateChangesOver;

    @Override
    public Announcement announce(EtcdCluster cluster, NewMember wanted) {
        return announcer.announce(cluster, wanted);
    }

    /**
     * A member whose version nobody knows counts as one minor older than the oldest heard, the most that a cluster mixes.
     */
    private static Optional<Announcement> noLearners(EtcdHealth health) {
        EtcdVersion oldest = health.versions().getFirst();
        if (!oldest.knowsLearners()) {
            return Optional.of(new Announcement.Refused(
                    "etcd learner mode is not supported by this etcd version",
                    "learners came with etcd 3.4; the members run " + health.versionsByMember(),
                    "upgrade etcd, or join with EtcdLearnerMode switched off"));
        }
        if (health.silences().isEmpty() || oldest.atLeast(3, 5)) {
            return Optional.empty();
        }
        return Optional.of(new Announcement.MustWait(WaitReason.UNHEALTHY,
                "the version of a silent member decides whether learners are known: " + health.ailing(),
                Duration.ofSeconds(1)));
    }

    @Override
    public Settlement settle(EtcdCluster cluster, MemberId id) {
        try {
            List<Member> members = cluster.members();
            Optional<Member> listed = find(members, id);
            if (listed.isEmpty()) {
                return new Settlement.Gone(id);
            }
            Member member = listed.get();
            if (member.voter()) {
                return voter(cluster, member, members);
            }
            if (!member.started()) {
                return waiting(id, "the member has not started yet");
            }
            return follow(cluster, member, EtcdHealth.ask(cluster, members));
        } catch (EtcdCallException e) {
            return unanswered(id, e);
        }
    }

    /** The list is the cluster's view; the member itself serves clients only once it has learned of its promotion. */
    private static Settlement voter(EtcdCluster cluster, Member member, List<Member> members) {
        boolean stillFollows = EtcdHealth.ask(cluster, List.of(member)).status(member.id())
                .map(MemberStatus::learner).orElse(false);
        if (stillFollows) {
            return waiting(member.id(), "the member has not heard of its promotion yet");
        }
        return new Settlement.Voter(member, members);
    }

    private Settlement follow(EtcdCluster cluster, Member learner, EtcdHealth health) {
        Optional<MemberStatus> own = health.status(learner.id());
        Optional<MemberStatus> leader = health.leaderStatus();
        if (leader.isEmpty()) {
            return waiting(learner.id(), "the members name no common leader");
        }
        long commit = leader.get().raftIndex();
        long start = commitAtStart.orElse(commit);
        commitAtStart = Optional.of(start);
        if (own.isEmpty()) {
            closeBefore = false;
            return waiting(learner.id(), "the member does not answer: " + health.silences().get(learner.id()));
        }
        var progress = new CatchUp(own.get().appliedIndex(), commit);
        boolean close = progress.applied() >= start && progress.lag() <= LAG_LIMIT;
        // one look is enough at a learner level with the leader; otherwise it has to keep up until the next look
        boolean inSync = close && (progress.lag() == 0 || closeBefore);
        closeBefore = close;
        if (!inSync) {
            return catchingUp(learner.id(), close ? "the member is close to the leader" : "the member is catching up",
                    progress);
        }
        Quorum after = health.quorum().plusOne();
        if (health.healthyVoters() + 1 < after.size()) {
            return catchingUp(learner.id(), "%d of %d voters would be well, %d are needed: %s".formatted(
                    health.healthyVoters() + 1, after.voters(), after.size(), health.ailing()), progress);
        }
        return promote(cluster, learner, progress);
    }

    private Settlement promote(EtcdCluster cluster, Member learner, CatchUp progress) {
        promoteSent = true;
        lateChangesOver = false;
        Optional<EtcdCallException> failure = Announcer.attempt(() -> cluster.promote(learner.id()));
        List<Member> members = cluster.members();
        Optional<Member> listed = find(members, learner.id());
        if (listed.isEmpty()) {
            return new Settlement.Gone(learner.id());
        }
        if (listed.get().voter()) {
            return voter(cluster, listed.get(), members);
        }
        if (failure.isEmpty()) {
            return catchingUp(learner.id(), "the promotion is not listed yet", progress);
        }
        EtcdCallException e = failure.get();
        return switch (e.errorClass()) {
            case DONE, WAIT, TRANSIENT, AMBIGUOUS -> catchingUp(learner.id(), e.text(), progress);
            case NEEDS_HUMAN, FATAL -> failed(learner.id(), e);
        };
    }

    @Override
    public Withdrawal withdraw(EtcdCluster cluster, NewMember wanted) {
        if (!lateChangesOver && (promoteSent || announcer.inDoubt())) {
            // etcd cannot remove "only if still a learner": a promotion under way must have come through or died
            lateChangesOver = true;
            return new Withdrawal.MustWait("a change that was sent may still be applied", Announcer.LATE_CHANGE);
        }
        try {
            Optional<Member> own = announcer.own(cluster.members(), wanted);
            if (own.isEmpty()) {
                return new Withdrawal.NothingListed();
            }
            return own.get().voter() ? new Withdrawal.NowVoter(own.get()) : remove(cluster, own.get(), wanted);
        } catch (EtcdCallException e) {
            return switch (e.errorClass()) {
                // a leader that changes just now must not leave the learner behind
                case DONE, WAIT, TRANSIENT, AMBIGUOUS ->
                        new Withdrawal.MustWait(e.getMessage(), Duration.ofSeconds(1));
                case NEEDS_HUMAN, FATAL -> kept("the etcd member could not be taken back", e.getMessage());
            };
        }
    }

    private static Withdrawal remove(EtcdCluster cluster, Member learner, NewMember wanted) {
        if (!PeerUrls.of(learner).equals(PeerUrls.of(wanted.peerUrl()))) {
            return kept("learner " + learner.describe() + " stays", "its peer URL is not ours");
        }
        Optional<EtcdCallException> failure = Announcer.attempt(() -> cluster.remove(learner.id()));
        Optional<Member> left = find(cluster.members(), learner.id());
        if (left.isEmpty()) {
            return new Withdrawal.Removed(learner);
        }
        if (left.get().voter()) {
            return new Withdrawal.NowVoter(left.get());
        }
        ErrorClass errorClass = failure.map(EtcdCallException::errorClass).orElse(ErrorClass.TRANSIENT);
        String why = failure.map(EtcdCallException::text).orElse("it is still listed");
        return switch (errorClass) {
            case DONE, WAIT, TRANSIENT, AMBIGUOUS -> new Withdrawal.MustWait(why, Duration.ofSeconds(1));
            case NEEDS_HUMAN, FATAL -> kept("learner " + learner.describe() + " is still listed", why);
        };
    }

    private static Withdrawal kept(String what, String why) {
        return new Withdrawal.Kept(what, why, "look at \"etcdctl member list\" and remove a learner that nobody"
                + " starts: no other member can join before");
    }

    private static Optional<Member> find(List<Member> members, MemberId id) {
        return members.stream().filter(member -> member.id().equals(id)).findFirst();
    }

    private static Settlement unanswered(MemberId id, EtcdCallException e) {
        return switch (e.errorClass()) {
            case DONE, WAIT, TRANSIENT, AMBIGUOUS -> waiting(id, e.getMessage());
            case NEEDS_HUMAN, FATAL -> failed(id, e);
        };
    }

    private static Settlement waiting(MemberId id, String reason) {
        return new Settlement.CatchingUp(id, reason, Optional.empty());
    }

    private static Settlement catchingUp(MemberId id, String reason, CatchUp progress) {
        return new Settlement.CatchingUp(id, reason, Optional.of(progress));
    }

    private static Settlement failed(MemberId id, EtcdCallException e) {
        return new Settlement.Failed(id, "etcd does not promote member " + id, e.getMessage(),
                "the member is still a learner; cure the reason, then join again");
    }
}
