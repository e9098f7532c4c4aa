package io.kjadm.core.etcd.commands;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdErrors;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.ReplicationProgress;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What the commands that change etcd are made of: a look that all voters agree on, the lock, the
 * verdict told, a member on its way in or out. Every change is made once and read back; what the reply
 * was does not matter.
 */
public final class MembershipSteps {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** The server's own limit, a late change, an election, and all that once more. */
    private static final Duration REMOVAL_LIMIT = Duration.ofMinutes(1);
    /** So many looks, an interval apart: an election takes a second or two. */
    private static final int ELECTION = 10;
    /** So many looks at a member that has just been started. */
    private static final int ANSWER = 3;

    private final EtcdSession session;
    private final MembershipLock membershipLock;
    private final Waiter waiter;
    private final Reporter out;
    private final Consumer<EtcdStatus> refusals;
    private final MemberRemoval removal = new MemberRemoval();

    /**
     * @param session  what is changed, and asked
     * @param lock     keeps joins and resets away meanwhile
     * @param waiter   the clock; a dry run's only reports waits
     * @param refusals shows the operator how the members are when a change is refused
     */
    public MembershipSteps(
            EtcdSession session,
            MembershipLock lock,
            Waiter waiter,
            Reporter out,
            Consumer<EtcdStatus> refusals) {
        this.session = session;
        this.membershipLock = lock;
        this.waiter = waiter;
        this.out = out;
        this.refusals = refusals;
    }

    /**
     * The facts that decide: of the list all voters agree on, once it is known that a member
     * responds. An election is waited for.
     */
    public EtcdSurvey.Heard look() {
        EtcdSurvey.Heard seen = session.survey();
        for (int looks = 1; looks < ELECTION && seen.health().isElecting(); looks++) {
            election();
            seen = session.survey();
        }
        if (seen.health().leader().isEmpty()) {
            // nobody could tell more than what was seen
            return seen;
        }
        return new EtcdSurvey.Heard(seen.clusterId(), agreed(), seen.disputes());
    }

    /**
     * The same, looked at a few times until something holds: one that takes calls and answers none
     * is waited for some seconds by each look.
     */
    public EtcdSurvey.Heard lookUntil(Predicate<EtcdHealth> enough) {
        EtcdSurvey.Heard seen = look();
        for (int looks = 1; looks < ANSWER && !enough.test(seen.health()); looks++) {
            waiter.pause(AREA, "Waiting for the member to answer", INTERVAL);
            seen = look();
        }
        return seen;
    }

    /**
     * The members that all voters agree on, and how each of them is. An election is waited for.
     *
     * @throws ClusterException if the list cannot be read
     */
    public EtcdHealth agreed() {
        for (int looks = 1; ; looks++) {
            try {
                EtcdHealth health = EtcdHealth.ask(session.cluster());
                if (looks == ELECTION || !health.isElecting()) {
                    return health;
                }
            } catch (EtcdCallException e) {
                if (looks == ELECTION || !e.says(EtcdErrors.NO_LEADER)) {
                    throw new ClusterException(
                            "etcd did not return the member list",
                            e.getMessage(),
                            "check etcd with 'kjadm etcd status', then try again",
                            e);
                }
            }
            election();
        }
    }

    private void election() {
        waiter.pause(AREA, "Waiting for the members to elect a leader", INTERVAL);
    }

    /** Who changes the members now; that nobody can tell is told. */
    public MembershipLeaseStatus lock() {
        MembershipLeaseStatus lock = session.lock();
        if (lock instanceof MembershipLeaseStatus.Unknown(String why)) {
            out.warn("it is unknown whether another program is changing etcd's members: " + why);
        }
        return lock;
    }

    /**
     * Tells a verdict.
     *
     * @return whether there is something to do
     * @throws ClusterException if it is a refusal
     */
    public boolean allowed(Verdict verdict, EtcdSurvey.Heard seen, MembershipLeaseStatus lock) {
        return switch (verdict) {
            case Verdict.Allowed(String why) -> {
                out.step(AREA, "Pre-check passed: " + why);
                yield true;
            }
            case Verdict.Needless(String why) -> {
                out.step(AREA, "Nothing to do: " + why);
                yield false;
            }
            case Verdict.Refused(Problem problem) -> {
                refusals.accept(EtcdStatus.of(seen, session.node().noted(), lock, session.now()));
                throw new ClusterException(problem);
            }
        };
    }

    /** {@link #inTurn(MembershipLeaseStatus, String, Consumer)} for one change that is read back. */
    public void inTurn(MembershipLeaseStatus seen, String operation, Runnable change) {
        inTurn(seen, operation, _ -> change.run());
    }

    /**
     * Takes the lock for a change. That of a dead run is taken over once it was seen unchanged for as
     * long as it lasts. Where the Lease cannot be read there is none to take: the change is then safe
     * because it is read back, like every other.
     */
    public void inTurn(MembershipLeaseStatus seen, String operation, Consumer<HeldLock> change) {
        MembershipLock lock = seen instanceof MembershipLeaseStatus.Unknown
                ? MembershipLock.none()
                : membershipLock;
        try (HeldLock held = lock.take(Work.beginning(operation), MembershipLock.SHORT_WAIT)) {
            change.accept(held);
        }
    }

    /**
     * Repeats the steps of a member that comes in until it votes.
     *
     * @return the voter; empty in a dry run, which waits for nothing
     * @throws ClusterException if it does not get that far
     */
    public Optional<Member> follow(MemberJoinExecutor way, Await await) {
        return waiter.until(await, () -> stepped(way));
    }

    /**
     * Repeats the steps of a member that comes in until something holds, or it votes.
     *
     * @throws ClusterException if it does not get that far
     */
    public void followUntil(MemberJoinExecutor way, Await await, BooleanSupplier enough) {
        waiter.until(await, () -> {
            Attempt<Member> attempt = stepped(way);
            return switch (attempt) {
                case Attempt.Done<Member> _ -> Attempt.done(true);
                case Attempt.NotYet<Member>(String answer, Duration atLeast) ->
                    enough.getAsBoolean() ? Attempt.done(true) : Attempt.notYet(answer, atLeast);
            };
        });
    }

    private Attempt<Member> stepped(MemberJoinExecutor way) {
        while (true) {
            switch (way.step()) {
                case JoinStep.Progressed(String message) -> {
                    if (!message.isEmpty()) {
                        out.step(AREA, message);
                    }
                }
                case JoinStep.Waiting(
                        var reason,
                        String detail,
                        Duration pause,
                        Optional<ReplicationProgress> progress) -> {
                    return Attempt.notYet(
                            detail + progress.map(far -> ", " + far).orElse(""), pause);
                }
                case JoinStep.Joined(Member voter, String message) -> {
                    if (!message.isEmpty()) {
                        out.warn(message);
                    }
                    return Attempt.done(voter);
                }
                case JoinStep.Failed(FailReason _, Problem problem) ->
                    throw new ClusterException(problem);
                case JoinStep.RolledBack rolledBack ->
                    throw new IllegalStateException("a roll-back was not requested");
            }
        }
    }

    /**
     * Removes a member that may go; one that leads transfers its leadership first. Each attempt plans
     * again, so what others do meanwhile is taken into account. May be repeated.
     *
     * @throws ClusterException if it is listed to the end
     */
    public void takeOut(Member member) {
        takeOut(member, _ -> new Verdict.Allowed("it was decided before"));
    }

    /**
     * The same, decided once more of what holds when it is done: others may have changed etcd
     * before the lock was acquired.
     *
     * @throws ClusterException if it is refused then, or is not done in time
     */
    public void takeOut(Member member, Function<EtcdHealth, Verdict> rule) {
        Await await = new Await(
                AREA,
                "etcd member %s to be out of the cluster".formatted(member.describe()),
                REMOVAL_LIMIT,
                INTERVAL,
                "check the member with 'kjadm etcd status', then run the command again");
        waiter.until(await, () -> attempt(member, rule));
    }

    private Attempt<Member> attempt(Member member, Function<EtcdHealth, Verdict> rule) {
        try {
            EtcdHealth health = EtcdHealth.ask(session.cluster());
            if (health.isElecting()) {
                return Attempt.notYet("the members elect a leader");
            }
            boolean listed =
                    health.members().stream().anyMatch(other -> other.id().equals(member.id()));
            if (listed && rule.apply(health) instanceof Verdict.Refused(Problem problem)) {
                throw new ClusterException(problem);
            }
            return after(
                    member,
                    removal.attempt(
                            session.cluster(), health, OwnMember.asListed(member), telling()));
        } catch (EtcdCallException e) {
            if (e.errorClass() == ErrorClass.FATAL) {
                throw new ClusterException(
                        "etcd does not remove member " + member.describe(),
                        e.getMessage(),
                        "check the credentials and the version of etcd",
                        e);
            }
            return Attempt.notYet(e.text());
        }
    }

    private Removal.Progress telling() {
        return new Removal.Progress() {
            @Override
            public void handingOver(Member leader, Member successor) {
                out.step(AREA, "Transferring etcd's leadership to " + successor.label());
            }

            @Override
            public void removing(Member going) {
                out.step(AREA, "Removing etcd member " + going.describe());
            }
        };
    }

    private Attempt<Member> after(Member member, Removal done) {
        return switch (done) {
            case Removal.Confirmed _ -> gone(member);
            case Removal.Declined(RemovalPlan.NotListed _) -> gone(member);
            case Removal.Declined(RemovalPlan.Unproven _) -> gone(member);
            case Removal.Declined(RemovalPlan.Promoted(Member voter)) ->
                throw new ClusterException(
                        CommonReason.PROMOTED,
                        "etcd member %s has been promoted since".formatted(voter.id()),
                        "it is a voter now, and was to be removed as a learner",
                        "leave it, or remove it as a voter: kjadm etcd member remove "
                                + voter.id());
            case Removal.Declined(RemovalPlan.LastMember _) ->
                Attempt.notYet("it is the only voter");
            case Removal.Declined(RemovalPlan.Refused(Problem problem)) ->
                Attempt.notYet(problem.facts());
            case Removal.MustWait wait -> Attempt.notYet(wait.why(), wait.pause());
            case Removal.StillListed still ->
                throw new ClusterException(
                        CommonReason.STILL_LISTED,
                        "etcd member %s is still listed"
                                .formatted(still.member().describe()),
                        still.why(),
                        "fix the cause, then run the command again");
        };
    }

    private Attempt<Member> gone(Member member) {
        out.step(AREA, "etcd no longer lists member " + member.id());
        return Attempt.done(member);
    }

    /** The change is made: whatever this answers, the command has done its work. */
    public void tellQuorum() {
        try {
            EtcdHealth health = EtcdHealth.ask(session.cluster());
            out.step(AREA, "Now " + health.quorumText());
        } catch (EtcdCallException e) {
            out.warn("the health of the members is unknown now: " + e.text());
        }
    }
}
