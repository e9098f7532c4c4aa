package io.kjadm.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Takes a node's own member out of the cluster. {@link #plan} decides from facts alone;
 * {@link #carryOut} does one plan once and reads back. To be repeated until
 * {@link RemovalPlan.NotListed}, as a node may have left several entries.
 */
public final class MemberRemoval {

    /** What to do about this node's member, by the arithmetic of the voters that would remain. */
    public RemovalPlan plan(EtcdHealth health, OwnMember own) {
        List<Member> ours = own.among(health);
        if (ours.isEmpty()) {
            return own.unproven(health).stream().findFirst().<RemovalPlan>map(member ->
                    new RemovalPlan.Unproven(member, own.doubt(member, health)))
                    .orElseGet(RemovalPlan.NotListed::new);
        }
        // learners go first, they never need a quorum of their own
        Member member = ours.stream().filter(Member::learner).findFirst().orElse(ours.getFirst());
        if (member.learner()) {
            return health.hasQuorum() ? new RemovalPlan.Remove(member) : noQuorum(health);
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
        List<Member> remaining = health.voters().stream()
                .filter(voter -> !voter.id().equals(member.id()) && health.healthy(voter)).toList();
        if (remaining.size() < after.size()) {
            return new RemovalPlan.Refused(
                    "removing %s would leave etcd without a quorum".formatted(member.describe()),
                    "of the other voters %d are well (%s), %d are needed; not well: %s".formatted(
                            remaining.size(), labels(remaining), after.size(), health.ailing()),
                    "bring the other voters back, or remove those that are gone for good, then try again");
        }
        boolean leads = health.leader().filter(leader -> leader.id().equals(member.id()))
                .isPresent();
        if (!leads) {
            return new RemovalPlan.Remove(member);
        }
        return successor(health, remaining)
                .<RemovalPlan>map(successor ->
                        new RemovalPlan.MoveLeaderThenRemove(member, successor))
                .orElseThrow(() ->
                        new IllegalStateException("a quorum of " + after + " without any voter"));
    }

    /** The one that has applied most takes over with the least delay. */
    private static Optional<Member> successor(EtcdHealth health, List<Member> healthy) {
        return healthy.stream().max((one, other) -> Long.compare(
                health.statuses().get(one.id()).appliedIndex(),
                health.statuses().get(other.id()).appliedIndex()));
    }

    private static RemovalPlan noQuorum(EtcdHealth health) {
        return new RemovalPlan.Refused("etcd has no quorum and cannot change its members",
                health.ailing(),
                "bring a majority of the voters back first; with the others lost for good, restore from a snapshot");
    }

    private static String labels(List<Member> members) {
        return members.isEmpty()
                ? "none" : members.stream().map(Member::label).collect(Collectors.joining(", "));
    }

    /** Removes a member that is neither leader nor needed. */
    public Removal carryOut(EtcdCluster cluster, RemovalPlan.Remove plan) {
        return remove(cluster, plan.member());
    }

    /** Hands leadership over and, once the member no longer leads, removes it. */
    public Removal carryOut(EtcdCluster cluster, RemovalPlan.MoveLeaderThenRemove plan) {
        return carryOut(cluster, plan, () -> { });
    }

    /**
     * As {@link #carryOut(EtcdCluster, RemovalPlan.MoveLeaderThenRemove)}.
     *
     * @param handedOver runs between the two
     */
    public Removal carryOut(EtcdCluster cluster, RemovalPlan.MoveLeaderThenRemove plan,
            Runnable handedOver) {
        Member member = plan.member();
        Optional<EtcdCallException> failure =
                EtcdCallException.of(() -> cluster.moveLeader(member.id(), plan.successor().id()));
        if (failure.isPresent()) {
            return switch (failure.get().errorClass()) {
                case DONE, WAIT, TRANSIENT, AMBIGUOUS, NEEDS_HUMAN -> new Removal.MustWait(
                        "the leader did not hand over: " + failure.get().text(),
                        Duration.ofSeconds(1), refusal(failure.get()));
                case FATAL -> stillListed(member, failure.get().getMessage());
            };
        }
        handedOver.run();
        return remove(cluster, member);
    }

    private static Removal remove(EtcdCluster cluster, Member member) {
        Optional<EtcdCallException> failure =
                EtcdCallException.of(() -> cluster.remove(member.id()));
        List<Member> members;
        try {
            members = cluster.members();
        } catch (EtcdCallException e) {
            return switch (e.errorClass()) {
                case DONE, WAIT, TRANSIENT, AMBIGUOUS ->
                        new Removal.MustWait(e.getMessage(), Duration.ofSeconds(1), false);
                case NEEDS_HUMAN, FATAL -> stillListed(member, e.getMessage());
            };
        }
        if (members.stream().noneMatch(left -> left.id().equals(member.id()))) {
            return new Removal.Confirmed(member);
        }
        String why = failure.map(EtcdCallException::text).orElse("the removal is not listed yet");
        return switch (failure.map(EtcdCallException::errorClass).orElse(ErrorClass.TRANSIENT)) {
            case DONE, WAIT, TRANSIENT -> new Removal.MustWait(why, Duration.ofSeconds(1),
                    failure.filter(MemberRemoval::refusal).isPresent());
            case AMBIGUOUS -> new Removal.MustWait(why, EtcdCluster.LATE_CHANGE, false);
            case NEEDS_HUMAN, FATAL -> stillListed(member, why);
        };
    }

    private static boolean refusal(EtcdCallException failure) {
        return failure.errorClass() == ErrorClass.WAIT;
    }

    private static Removal stillListed(Member member, String why) {
        return new Removal.StillListed(member, why,
                "from a node that stays, run \"kjadm etcd member remove " + member.id() + "\"");
    }
}
