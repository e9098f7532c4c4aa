package io.kjadm.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common half of both ways to add a member: look, compare, add once, read back. Remembers the member it added and a
 * change whose reply was lost, since such a change may still be applied until the server's own limit of 7 s is over.
 */
final class Announcer {

    /** How long a sent change may still be applied, with a second to spare. */
    static final Duration LATE_CHANGE = Duration.ofSeconds(8);

    private static final Logger LOG = LoggerFactory.getLogger(Announcer.class);

    private final BiFunction<EtcdCluster, URI, Member> addition;
    private final boolean addsLearners;
    private final Function<EtcdHealth, Optional<Announcement>> obstacle;

    private Optional<MemberId> added = Optional.empty();
    private Optional<LostReply> lostReply = Optional.empty();

    /**
     * An add that may have happened.
     *
     * @param before who was listed before it was sent
     * @param watchedUnder the leader's term when a list was first read that did not show it
     */
    private record LostReply(Set<MemberId> before, Optional<Long> watchedUnder) {

        LostReply watched(long term) {
            return new LostReply(before, Optional.of(term));
        }
    }

    /** @param obstacle what else stands against adding, asked after the checks that hold for every member */
    Announcer(BiFunction<EtcdCluster, URI, Member> addition, boolean addsLearners,
            Function<EtcdHealth, Optional<Announcement>> obstacle) {
        this.addition = addition;
        this.addsLearners = addsLearners;
        this.obstacle = obstacle;
    }

    Announcement announce(EtcdCluster cluster, NewMember wanted) {
        try {
            List<Member> members = cluster.members();
            noticeLateAdd(members, wanted);
            return switch (Rejoin.decide(members, wanted, added)) {
                case Rejoin.Stop(Announcement.Refused refusal) -> refusal;
                case Rejoin.Resume(Member member) -> resume(member, members, wanted);
                case Rejoin.Replace(Member member) -> replace(cluster, member, wanted);
                case Rejoin.Fresh() -> addIfFit(cluster, members, wanted);
            };
        } catch (EtcdCallException e) {
            return unreadable(e);
        }
    }

    /** Whether a sent add is neither confirmed nor known to have failed. */
    boolean inDoubt() {
        return lostReply.isPresent();
    }

    /** The listed member that this adder or the earlier run of the trace added. */
    Optional<Member> own(List<Member> members, NewMember wanted) {
        noticeLateAdd(members, wanted);
        Optional<MemberId> ours = added.or(() -> wanted.trace().added());
        return members.stream().filter(member -> ours.filter(member.id()::equals).isPresent()).findFirst();
    }

    private void noticeLateAdd(List<Member> members, NewMember wanted) {
        if (lostReply.isEmpty()) {
            return;
        }
        PeerUrls url = PeerUrls.of(wanted.peerUrl());
        Set<MemberId> before = lostReply.get().before();
        members.stream()
                .filter(member -> !before.contains(member.id()) && PeerUrls.of(member).equals(url))
                .findFirst()
                .ifPresent(member -> {
                    added = Optional.of(member.id());
                    lostReply = Optional.empty();
                });
    }

    private Announcement resume(Member member, List<Member> members, NewMember wanted) {
        if (member.learner() && !addsLearners) {
            return new Announcement.Refused("this node is already listed as learner " + member.describe(),
                    "it was added while EtcdLearnerMode was on, and only that way can promote it",
                    "switch EtcdLearnerMode on again, or reset this node, then join");
        }
        return new Announcement.AlreadyThere(member, members);
    }

    /** A learner that still runs somewhere is another machine with our address, not lost data. */
    private Announcement replace(EtcdCluster cluster, Member learner, NewMember wanted) {
        if (EtcdHealth.ask(cluster, List.of(learner)).status(learner.id()).isPresent()) {
            return new Announcement.Refused(
                    "learner %s is running, but not from this node's data directory".formatted(learner.describe()),
                    "two machines use the address " + wanted.peerUrl(), "choose another advertise address");
        }
        LOG.info("removing learner {}: its data is lost, and without a vote nothing depends on it", learner.describe());
        Optional<EtcdCallException> failure = attempt(() -> cluster.remove(learner.id()));
        List<Member> members = cluster.members();
        if (members.stream().anyMatch(member -> member.id().equals(learner.id()))) {
            return failure.map(e -> afterFailure(e, cluster, members))
                    .orElseGet(() -> unconfirmed("the removal of " + learner.describe() + " is not listed yet"));
        }
        return addIfFit(cluster, members, wanted);
    }

    private Announcement addIfFit(EtcdCluster cluster, List<Member> members, NewMember wanted) {
        Optional<Announcement> queue = queue(members);
        if (queue.isPresent()) {
            return queue.get();
        }
        EtcdHealth health = EtcdHealth.ask(cluster, members);
        Optional<Announcement> unfit = unfit(health).or(() -> obstacle.apply(health));
        if (unfit.isPresent()) {
            return unfit.get();
        }
        long term = health.leaderStatus().map(MemberStatus::raftTerm).orElse(0L);
        if (lostReply.isPresent() && !lostReply.get().watchedUnder().equals(Optional.of(term))) {
            // not read back since, or under a new leader, where the old proposal may still surface
            lostReply = Optional.of(lostReply.get().watched(term));
            return unconfirmed("the outcome of the last add is not known yet");
        }
        lostReply = Optional.empty();
        return add(cluster, members, wanted, term);
    }

    /** One membership change at a time: the list a new member starts with must not change under it. */
    private static Optional<Announcement> queue(List<Member> members) {
        return members.stream().filter(member -> member.learner() || !member.started()).findFirst()
                .map(member -> new Announcement.MustWait(
                        member.learner() ? WaitReason.TOO_MANY_LEARNERS : WaitReason.MEMBER_NOT_STARTED,
                        "another member is joining: " + member.describe(), Duration.ZERO));
    }

    private static Optional<Announcement> unfit(EtcdHealth health) {
        if (!health.alarms().isEmpty()
                || health.statuses().values().stream().anyMatch(MemberStatus::downgrading)) {
            return switch (health.joinVerdict()) {
                case JoinVerdict.NotReady(String what, String why, String next) ->
                        Optional.of(new Announcement.Refused(what, why, next));
                case JoinVerdict.Ready ready -> throw new IllegalStateException("alarms and yet " + ready);
            };
        }
        if (!health.hasQuorum()) {
            return Optional.of(new Announcement.MustWait(WaitReason.UNHEALTHY, health.ailing(), Duration.ZERO));
        }
        if (health.leader().isEmpty()) {
            return Optional.of(new Announcement.MustWait(
                    WaitReason.NO_LEADER, "the members name no common leader", Duration.ZERO));
        }
        return Optional.empty();
    }

    private Announcement add(EtcdCluster cluster, List<Member> before, NewMember wanted, long term) {
        var doubt = new LostReply(before.stream().map(Member::id).collect(Collectors.toSet()), Optional.empty());
        // set before the call: whatever interrupts it leaves the add in doubt
        lostReply = Optional.of(doubt);
        Member member;
        try {
            member = addition.apply(cluster, wanted.peerUrl());
            added = Optional.of(member.id());
            lostReply = Optional.empty();
        } catch (EtcdCallException e) {
            return addFailed(e, cluster, wanted, term);
        }
        List<Member> members = listAfterAdd(cluster, before, member);
        return members.stream().filter(listed -> listed.id().equals(member.id())).findFirst()
                .map(listed -> confirmed(listed, members))
                .orElseGet(() -> {
                    lostReply = Optional.of(doubt.watched(term));
                    return unconfirmed("the added member " + member.id() + " is not listed yet");
                });
    }

    /**
     * A second voter takes the quorum away until it runs, so nobody can list then; the list it has to be started with is
     * the old one and itself, as no other change can have happened either.
     */
    private List<Member> listAfterAdd(EtcdCluster cluster, List<Member> before, Member member) {
        try {
            return cluster.members();
        } catch (EtcdCallException e) {
            if (addsLearners || e.errorClass() == ErrorClass.FATAL) {
                throw e;
            }
            LOG.debug("the cluster lists no members until the new voter runs: {}", e.getMessage());
            return Stream.concat(before.stream(), Stream.of(member)).toList();
        }
    }

    private Announcement addFailed(EtcdCallException e, EtcdCluster cluster, NewMember wanted, long term) {
        LOG.debug("add failed, reading back: {}", e.getMessage());
        if (e.errorClass() != ErrorClass.AMBIGUOUS && e.errorClass() != ErrorClass.DONE) {
            lostReply = Optional.empty();
        }
        List<Member> members = cluster.members();
        noticeLateAdd(members, wanted);
        Optional<Member> ours = members.stream()
                .filter(member -> added.filter(member.id()::equals).isPresent()).findFirst();
        if (ours.isPresent()) {
            return confirmed(ours.get(), members);
        }
        lostReply = lostReply.map(lost -> lost.watched(term));
        if (e.errorClass() == ErrorClass.DONE) {
            lostReply = Optional.empty();
            return switch (Rejoin.decide(members, wanted, added)) {
                case Rejoin.Stop(Announcement.Refused refusal) -> refusal;
                case Rejoin.Resume(Member member) -> resume(member, members, wanted);
                case Rejoin.Replace ignored -> unconfirmed("a member with our peer URL appeared meanwhile");
                case Rejoin.Fresh() -> unconfirmed("a member with our peer URL came and went meanwhile");
            };
        }
        return afterFailure(e, cluster, members);
    }

    private Announcement confirmed(Member member, List<Member> members) {
        if (addsLearners && member.voter()) {
            return new Announcement.Refused("etcd added %s as a voter though a learner was asked for"
                    .formatted(member.describe()), "some server of the cluster does not know learners",
                    "run \"etcdctl member remove %s\" at once and upgrade etcd".formatted(member.id()));
        }
        return new Announcement.Added(member, members);
    }

    private static Announcement afterFailure(EtcdCallException e, EtcdCluster cluster, List<Member> members) {
        return switch (e.errorClass()) {
            case WAIT -> queue(members).orElseGet(() -> new Announcement.MustWait(
                    e.says(EtcdErrors.TOO_MANY_LEARNERS) ? WaitReason.TOO_MANY_LEARNERS : WaitReason.UNHEALTHY,
                    "etcd says \"%s\" %s".formatted(e.text(), EtcdHealth.ask(cluster, members).ailing()).strip(),
                    Duration.ofSeconds(1)));
            case DONE, AMBIGUOUS -> unconfirmed("the reply was lost: " + e.text());
            case TRANSIENT -> new Announcement.MustWait(
                    e.says(EtcdErrors.NO_LEADER) ? WaitReason.NO_LEADER : WaitReason.UNREACHABLE,
                    e.getMessage(), Duration.ofMillis(500));
            case NEEDS_HUMAN -> new Announcement.Refused("etcd refuses the member: " + e.text(),
                    "members: " + members.stream().map(Member::describe).collect(Collectors.joining("; ")),
                    "bring every listed member up, or remove those that are gone for good, then join again");
            case FATAL -> fatal(e);
        };
    }

    private static Announcement unreadable(EtcdCallException e) {
        return switch (e.errorClass()) {
            case FATAL, NEEDS_HUMAN -> fatal(e);
            case DONE, WAIT, TRANSIENT, AMBIGUOUS -> new Announcement.MustWait(
                    e.says(EtcdErrors.NO_LEADER) ? WaitReason.NO_LEADER : WaitReason.UNREACHABLE,
                    e.getMessage(), Duration.ofMillis(500));
        };
    }

    private static Announcement fatal(EtcdCallException e) {
        return new Announcement.Refused("etcd does not take the request", e.getMessage(),
                "check the endpoints and the etcd client certificate of this node");
    }

    private static Announcement unconfirmed(String detail) {
        return new Announcement.MustWait(WaitReason.UNCONFIRMED, detail, LATE_CHANGE);
    }

    static Optional<EtcdCallException> attempt(Runnable change) {
        try {
            change.run();
            return Optional.empty();
        } catch (EtcdCallException e) {
            LOG.debug("reading back after: {}", e.getMessage());
            return Optional.of(e);
        }
    }
}
