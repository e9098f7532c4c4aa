package io.kjadm.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The one way out of a cluster, for whoever removes a member: a join that is rolled back or needs
 * room, a reset, an operator. Who is it, may it go, does it still look so, remove it by its ID, read
 * the list. {@link #plan} decides from facts alone; {@link #attempt} does all of it once. What was
 * answered to the removal does not matter, the list does.
 *
 * <p>To be repeated until {@link RemovalPlan.NotListed}, as a node may have left several entries.
 */
public final class MemberRemoval {

    private static final Duration AT_ONCE = Duration.ofMillis(100);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Whether the member may go, by the arithmetic of the voters that would remain. */
    public RemovalPlan plan(EtcdHealth health, OwnMember own) {
        List<Member> ours = own.among(health);
        if (ours.isEmpty()) {
            return own.unproven(health).stream()
                    .findFirst()
                    .<RemovalPlan>map(
                            member -> new RemovalPlan.Unproven(member, own.doubt(member, health)))
                    .orElseGet(RemovalPlan.NotListed::new);
        }
        // learners go first, they never need a quorum of their own, nor that we reach one: what the
        // voters agree about is read again before anything is sent
        Member member = ours.stream().filter(Member::learner).findFirst().orElse(ours.getFirst());
        if (member.learner()) {
            return health.isLed() ? remove(health, member, Optional.empty()) : noQuorum(health);
        }
        if (own.asLearner()) {
            return new RemovalPlan.Promoted(member);
        }
        if (health.voters().size() == 1) {
            return new RemovalPlan.LastMember(member);
        }
        return voter(health, member);
    }

    private static RemovalPlan voter(EtcdHealth health, Member member) {
        if (!health.hasQuorum()) {
            return noQuorum(health);
        }
        Quorum after = health.quorum().minusOne();
        List<Member> remaining = health.healthyVotersWithout(member);
        if (!health.keepsQuorumWithout(member)) {
            return new RemovalPlan.Refused(
                    new Problem(
                            CommonReason.NEEDED_FOR_QUORUM,
                            "removing %s would leave etcd without a quorum"
                                    .formatted(member.describe()),
                            "of the other voters %d are healthy (%s), %d are needed; unhealthy: %s"
                                    .formatted(
                                            remaining.size(),
                                            labels(remaining),
                                            after.size(),
                                            health.unhealthyMembers()),
                            "bring the other voters back, or remove those that are gone for good, then try again"));
        }
        return remove(health, member, health.successorOf(member));
    }

    private static RemovalPlan remove(
            EtcdHealth health, Member member, Optional<Member> successor) {
        return new RemovalPlan.Remove(member, successor, voters(health.members()));
    }

    private static RemovalPlan noQuorum(EtcdHealth health) {
        return new RemovalPlan.Refused(
                new Problem(
                        CommonReason.NO_QUORUM,
                        "etcd has no quorum and cannot change its members",
                        health.unhealthyMembers(),
                        "bring a majority of the voters back first; if they are lost for good, restore from a snapshot"));
    }

    private static String labels(List<Member> members) {
        return members.isEmpty()
                ? "none"
                : members.stream().map(Member::label).collect(Collectors.joining(", "));
    }

    /**
     * One attempt by what was seen just now: the plan, and, if it may go, its execution.
     *
     * @param health   not older than a look
     * @param progress told before anything is sent
     */
    public Removal attempt(
            EtcdCluster cluster, EtcdHealth health, OwnMember own, Removal.Progress progress) {
        return switch (plan(health, own)) {
            case RemovalPlan.Remove remove -> carryOut(cluster, remove, progress);
            case RemovalPlan.Declined declined -> new Removal.Declined(declined);
        };
    }

    private static Removal carryOut(
            EtcdCluster cluster, RemovalPlan.Remove plan, Removal.Progress progress) {
        if (plan.successor().isPresent()) {
            Member successor = plan.successor().get();
            progress.handingOver(plan.member(), successor);
            Optional<EtcdCallException> failure = EtcdCallException.of(
                    () -> cluster.moveLeader(plan.member().id(), successor.id()));
            if (failure.isPresent()) {
                return switch (failure.get().errorClass()) {
                    case DONE, WAIT, TRANSIENT, AMBIGUOUS, NEEDS_HUMAN ->
                        mustWait(
                                "the leader transfer failed: " + failure.get().text(),
                                failure.get());
                    case FATAL ->
                        stillListed(plan.member(), failure.get().getMessage(), ErrorClass.FATAL);
                };
            }
        }
        return lookAgainAndRemove(cluster, plan, progress);
    }

    /** To ask the members how they are, or to hand over, has taken its time. */
    private static Removal lookAgainAndRemove(
            EtcdCluster cluster, RemovalPlan.Remove plan, Removal.Progress progress) {
        Member member = plan.member();
        List<Member> members;
        try {
            members = cluster.members();
        } catch (EtcdCallException e) {
            return unread(member, e);
        }
        Optional<Member> now = listed(members, member.id());
        if (now.isEmpty()) {
            return new Removal.Confirmed(member);
        }
        // who votes tells whether this one does, too
        boolean asItWas =
                now.get().started() == member.started() && voters(members).equals(plan.voters());
        if (!asItWas) {
            return new Removal.MustWait(
                    "the members have changed since", AT_ONCE, ErrorClass.TRANSIENT);
        }
        progress.removing(member);
        return remove(cluster, member);
    }

    private static Removal remove(EtcdCluster cluster, Member member) {
        Optional<EtcdCallException> failure =
                EtcdCallException.of(() -> cluster.remove(member.id()));
        List<Member> members;
        try {
            members = cluster.members();
        } catch (EtcdCallException e) {
            return unread(member, e);
        }
        if (listed(members, member.id()).isEmpty()) {
            return new Removal.Confirmed(member);
        }
        String why = failure.map(EtcdCallException::text).orElse("the removal is not listed yet");
        ErrorClass cause = failure.map(EtcdCallException::errorClass).orElse(ErrorClass.TRANSIENT);
        return switch (cause) {
            case DONE, WAIT, TRANSIENT -> new Removal.MustWait(why, SECOND, cause);
            case AMBIGUOUS -> new Removal.MustWait(why, EtcdCluster.LATE_CHANGE, cause);
            case NEEDS_HUMAN, FATAL -> stillListed(member, why, cause);
        };
    }

    private static Removal unread(Member member, EtcdCallException failure) {
        return switch (failure.errorClass()) {
            // whatever a read is answered with is no word about the removal
            case DONE, WAIT, TRANSIENT, AMBIGUOUS ->
                new Removal.MustWait(failure.getMessage(), SECOND, ErrorClass.TRANSIENT);
            case NEEDS_HUMAN, FATAL ->
                stillListed(member, failure.getMessage(), failure.errorClass());
        };
    }

    private static Removal mustWait(String why, EtcdCallException failure) {
        return new Removal.MustWait(why, SECOND, failure.errorClass());
    }

    private static Removal stillListed(Member member, String why, ErrorClass cause) {
        return new Removal.StillListed(
                member,
                why,
                "from a node that stays, run \"kjadm etcd member remove " + member.id() + "\"",
                cause);
    }

    private static Optional<Member> listed(List<Member> members, MemberId id) {
        return members.stream().filter(member -> member.id().equals(id)).findFirst();
    }

    private static Set<MemberId> voters(List<Member> members) {
        return members.stream()
                .filter(Member::voter)
                .map(Member::id)
                .collect(Collectors.toUnmodifiableSet());
    }
}
