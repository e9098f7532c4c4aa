package io.kjadm.core.etcd.join;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.RollbackOutcome;
import io.kjadm.etcd.join.WaitReason;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * One member on its way in: repeats the steps of {@link MemberJoinExecutor}, tells what they come to, and has a
 * failed join rolled back.
 */
public final class MemberJoinLoop {

    /** More than any join takes; then the limits are looked at. */
    private static final int STEPS_IN_A_ROW = 30;

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofMillis(250);
    private static final Duration QUEUE_INTERVAL = Duration.ofSeconds(1);

    /** An API server that does not answer is given up, and then there is no lock to wait for. */
    private static final Duration SHORTEST_TURN = Duration.ofSeconds(10);

    private static final String RERUN = "run the same command again";

    private final MemberJoinExecutor executor;
    private final URI peerUrl;
    private final JoinLimits limits;
    private final MembershipLease turn;
    private final Supplier<Optional<MemberId>> member;
    private final Waiter waiter;
    private final Reporter out;
    private final Instant begun;
    private boolean queueing;

    /**
     * @param turn   in which this is done; who waits for the next one is told how far it is
     * @param member ID of the member, once it is known
     */
    public MemberJoinLoop(
            MemberJoinExecutor executor,
            URI peerUrl,
            JoinLimits limits,
            MembershipLease turn,
            Supplier<Optional<MemberId>> member,
            Waiter waiter,
            Reporter out) {
        this.executor = executor;
        this.peerUrl = peerUrl;
        this.limits = limits;
        this.turn = turn;
        this.member = member;
        this.waiter = waiter;
        this.out = out;
        this.begun = waiter.now();
    }

    /**
     * Brings the member in.
     *
     * @return the member, as a voter; empty in a dry run, which waits for nothing
     */
    public Optional<Member> join() {
        try {
            // the limits of the steps come first, with better words; these bound the whole
            Optional<JoinStep> admitted = waiter.until(
                    new Await(
                            AREA,
                            "etcd to accept this member",
                            limits.turn().plus(limits.fault()),
                            INTERVAL,
                            "run 'kjadm etcd status' where a member runs to see which member is in the way"),
                    this::admission);
            if (admitted.isEmpty() || admitted.get() instanceof JoinStep.Joined) {
                return voter(admitted);
            }
            out.step(
                    AREA,
                    "Waiting for this node's etcd member to start, catch up and become a voter");
            return voter(waiter.until(
                    new Await(
                            AREA,
                            "this node's etcd member to catch up and become a voter",
                            limits.total().plus(limits.fault()),
                            INTERVAL,
                            "check that %s can be reached from the other members and read etcd's log on this node"
                                    .formatted(peerUrl)),
                    () -> attempt(executor::step, waiting -> false)));
        } catch (RuntimeException e) {
            throw rolledBack(e);
        }
    }

    /** While others go first this only looks; whatever it then does, it does in its own turn. */
    private Attempt<JoinStep> admission() {
        Optional<JoinStep.Waiting> others = queueing ? executor.queueing() : Optional.empty();
        if (others.isPresent()) {
            return Attempt.notYet(others.get().detail(), QUEUE_INTERVAL);
        }
        queueing = false;
        // what was waited for a learner of somebody else was waited for the turn, too
        Duration waited = Duration.between(begun, waiter.now());
        Duration left = limits.turn().minus(waited);
        turn.take(left.compareTo(SHORTEST_TURN) < 0 ? SHORTEST_TURN : left);
        return attempt(executor::step, MemberJoinLoop::ownMemberIsAwaited);
    }

    private static boolean ownMemberIsAwaited(WaitReason reason) {
        return switch (reason) {
            case STARTING, CATCHING_UP, VOTER_UNHEALTHY, SETTLING -> true;
            case TOO_MANY_LEARNERS,
                    MEMBER_NOT_STARTED,
                    UNHEALTHY,
                    NO_LEADER,
                    UNREACHABLE,
                    UNCONFIRMED,
                    NODE_UNFIT -> false;
        };
    }

    private static Optional<Member> voter(Optional<JoinStep> last) {
        return last.filter(JoinStep.Joined.class::isInstance)
                .map(step -> ((JoinStep.Joined) step).member());
    }

    /** Steps until there is something to wait for, or an end. */
    private Attempt<JoinStep> attempt(Supplier<JoinStep> next, Predicate<WaitReason> enough) {
        for (int steps = 0; steps < STEPS_IN_A_ROW; steps++) {
            JoinStep step = next.get();
            switch (step) {
                case JoinStep.Progressed(String message) -> {
                    if (!message.isEmpty()) {
                        out.step(AREA, message);
                    }
                }
                case JoinStep.Waiting(
                        WaitReason reason,
                        String detail,
                        Duration pause,
                        var progress) -> {
                    String state = progress.map(seen -> detail + ", " + seen).orElse(detail);
                    if (reason.queueing()) {
                        queueing = true;
                        turn.release();
                        return Attempt.notYet(state, QUEUE_INTERVAL);
                    }
                    if (reason == WaitReason.VOTER_UNHEALTHY) {
                        // whoever replaces or removes that voter needs the turn; our learner keeps
                        // other joins away by itself
                        turn.release();
                    }
                    turn.tell(new Work("join", member.get(), state));
                    return enough.test(reason) ? Attempt.done(step) : Attempt.notYet(state, pause);
                }
                case JoinStep.Joined joined -> {
                    if (!joined.message().isEmpty()) {
                        out.warn(joined.message());
                    }
                    return Attempt.done(joined);
                }
                case JoinStep.RolledBack rolledBack -> {
                    return Attempt.done(rolledBack);
                }
                case JoinStep.Failed(FailReason _, Problem problem) ->
                    throw new ClusterException(problem);
            }
        }
        return Attempt.notYet("the join makes progress but does not finish");
    }

    private ClusterException rolledBack(RuntimeException failure) {
        boolean interrupted = Thread.interrupted();
        out.step(
                AREA,
                "The join %s: rolling back the etcd member"
                        .formatted(
                                interrupted
                                        ? "was interrupted"
                                        : "failed (%s)".formatted(Causes.words(failure))));
        // a signal that comes now, from an operator or a time limit, must not leave the member
        String outcome = Uninterrupted.call(this::rollBack);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        String why = " (%s)".formatted(outcome);
        if (failure instanceof ClusterException known) {
            String next = interrupted ? RERUN : "%s; then %s".formatted(known.next(), RERUN);
            return new ClusterException(known.problem().with(why, next), failure);
        }
        return interrupted
                ? new ClusterException(
                        "interrupted while the etcd member joined",
                        Causes.words(failure) + why,
                        RERUN,
                        failure)
                : new ClusterException(
                        "the etcd member could not join",
                        Causes.words(failure) + why,
                        "see etcd's log on this node; then " + RERUN,
                        failure);
    }

    private String rollBack() {
        Await await = new Await(
                AREA,
                "the etcd member to be rolled back",
                limits.rollback().plus(limits.fault()),
                INTERVAL,
                "");
        try {
            return waiter.until(await, () -> attempt(executor::rollBack, reason -> false))
                    .map(MemberJoinLoop::told)
                    .orElse("a dry run rolls nothing back");
        } catch (RuntimeException e) {
            return "it is unknown whether the member was removed: %s; run the same command again to check"
                    .formatted(Causes.words(e));
        }
    }

    private static String told(JoinStep last) {
        return last instanceof JoinStep.RolledBack(RollbackOutcome outcome, String node)
                ? told(outcome, node)
                : "the rollback ended with " + last;
    }

    private static String told(RollbackOutcome outcome, String node) {
        return switch (outcome) {
            case RollbackOutcome.NothingListed() -> "no etcd member was left behind";
            case RollbackOutcome.Removed(Member member) ->
                "etcd member %s, which this node had added, was removed again; %s"
                        .formatted(member.id(), node);
            case RollbackOutcome.WasGone() -> "no etcd member was left behind; " + node;
            case RollbackOutcome.Votes(Member member) ->
                "etcd member %s is already a voter and stays: nothing was rolled back"
                        .formatted(member.id());
            case RollbackOutcome.StaysAsAsked(Member member) ->
                ("learner %s stays, as requested; no other member can join"
                                + " before it is promoted or removed")
                        .formatted(member.id());
            case RollbackOutcome.Kept(Problem problem) -> problem.toString();
        };
    }
}
