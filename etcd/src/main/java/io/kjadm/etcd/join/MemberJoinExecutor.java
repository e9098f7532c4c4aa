package io.kjadm.etcd.join;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Gets one member into a cluster, step by step: each step looks at the cluster, the journal and
 * this node, has the next thing decided, and does it. Nothing here waits; the caller repeats as the
 * steps say.
 *
 * <p>A journal entry is durable before the action it announces, so a program that dies anywhere is
 * followed by one that continues. Calls must not overlap.
 */
public final class MemberJoinExecutor {

    private static final Logger LOG = LoggerFactory.getLogger(MemberJoinExecutor.class);

    /** A member that takes longer to answer is slow, and gets the time that any other gets. */
    private static final Duration USUAL_START = Duration.ofSeconds(10);

    private final NewMember wanted;
    private final MemberAdder adder;
    private final Function<JoinFacts, JoinDecision> decider;
    private final EtcdCluster cluster;
    private final MembershipJournal journal;
    private final LocalMember local;
    private final InstantSource clock;
    private JoinMemory memory;
    /** What the last decision was made upon. */
    private ClusterView seen;
    /**
     * This run has added a second voter: to ask for a list before that runs would prolong the time
     * without a quorum.
     */
    private boolean quorumNeedsOurs;

    /** @param decider see {@link JoinDecider} */
    public MemberJoinExecutor(
            NewMember wanted,
            MemberAdder adder,
            Function<JoinFacts, JoinDecision> decider,
            EtcdCluster cluster,
            MembershipJournal journal,
            LocalMember local,
            InstantSource clock) {
        this.wanted = wanted;
        this.adder = adder;
        this.decider = decider;
        this.cluster = cluster;
        this.journal = journal;
        this.local = local;
        this.clock = clock;
        this.memory = JoinMemory.begun(clock.instant());
    }

    /**
     * One step on the way in; to be repeated until {@link JoinStep.Joined} or
     * {@link JoinStep.Failed}.
     */
    public JoinStep step() {
        return next(false);
    }

    /**
     * One step on the way back, for a join that failed; to be repeated until
     * {@link JoinStep.RolledBack}.
     */
    public JoinStep rollBack() {
        return next(true);
    }

    /**
     * Only looks: whether this node still has to wait until other members have joined. Changes
     * nothing, so it needs no turn.
     */
    public Optional<JoinStep.Waiting> queueing() {
        return decide(false) instanceof JoinDecision.Wait wait && wait.reason().queueing()
                ? Optional.of(waiting(wait))
                : Optional.empty();
    }

    private JoinStep next(boolean rollingBack) {
        return carryOut(decide(rollingBack));
    }

    private JoinDecision decide(boolean rollingBack) {
        Optional<JoinEntry> entry = journal.read();
        LocalDataDir localDataDir = local.localDataDir();
        LocalMemberHealth life = local.memberHealth();
        Optional<StartProblem> startProblem = entry.filter(
                        known -> known.state() == JoinState.PREPARED)
                .flatMap(known -> local.startProblem());
        String notReadyReason = entry.filter(known -> known.state() == JoinState.PROMOTED)
                .map(known -> local.notReadyReason())
                .orElse("");
        ClusterView view = quorumNeedsOurs && !memory.sent().manifestWritten()
                ? ClusterView.Unreadable.yet("the new voter has to run first")
                : ClusterView.look(cluster, witnesses(entry), starting(entry));
        seen = view;
        Instant now = clock.instant();
        memory = memory.looked(now, wanted, entry, view, life, rollingBack);
        JoinDecision decision = decider.apply(new JoinFacts(
                now,
                entry,
                view,
                new JoinFacts.Node(localDataDir, life, startProblem, notReadyReason),
                memory,
                rollingBack));
        memory = memory.decided(now, decision);
        return decision;
    }

    /**
     * Of an add that may have taken the quorum away the only voter there was knows for certain: it
     * needed nobody's consent.
     */
    private List<URI> witnesses(Optional<JoinEntry> entry) {
        return adder.addsLearners()
                ? List.of()
                : entry.filter(JoinEntry::addsSecondVoter)
                        .filter(known -> known.state() == JoinState.ADDING)
                        .map(known -> known.before().stream()
                                .filter(Member::voter)
                                .flatMap(voter -> voter.clientUrls().stream())
                                .toList())
                        .orElse(List.of());
    }

    /** Our learner in its first seconds, in which its silence has no other effect than a wait. */
    private Optional<MemberId> starting(Optional<JoinEntry> entry) {
        return entry.filter(known -> known.state().compareTo(JoinState.PROMOTING) < 0)
                .flatMap(JoinEntry::memberId)
                .filter(id -> memory.learnerProgress().map(this::justStarted).orElse(true));
    }

    private boolean justStarted(LearnerProgress member) {
        return member.progress().isEmpty()
                && member.since().plus(USUAL_START).isAfter(clock.instant());
    }

    private static JoinStep.Waiting waiting(JoinDecision.Wait wait) {
        return new JoinStep.Waiting(wait.reason(), wait.detail(), wait.pause(), wait.progress());
    }

    private JoinStep carryOut(JoinDecision decision) {
        return switch (decision) {
            case JoinDecision.Note(JoinEntry entry, String message) -> {
                journal.write(entry);
                yield new JoinStep.Progressed(message);
            }
            case JoinDecision.Add(JoinEntry entry) -> add(entry);
            case JoinDecision.WriteManifest write -> {
                journal.write(write.entry());
                local.writeManifest(write.members(), write.own());
                String message = memory.sent().manifestWritten()
                        ? "the member list changed before the member started: wrote its manifest again"
                        : "";
                memory = memory.wroteManifest();
                yield new JoinStep.Progressed(message);
            }
            case JoinDecision.CallPeers(List<Member> voters) -> {
                Map<MemberId, String> unreached = local.unreached(voters);
                memory = memory.called(voters, unreached, clock.instant());
                yield new JoinStep.Progressed("");
            }
            case JoinDecision.ProbePeerPort(Member learner) -> {
                boolean listens = local.listens(learner);
                memory = memory.knocked(learner.id(), listens, clock.instant());
                yield new JoinStep.Progressed("");
            }
            case JoinDecision.Promote(JoinEntry entry, Member learner, String message) -> {
                journal.write(entry);
                // counted from the end of the call: it may have been sent at any moment of it
                Optional<EtcdCallException> failure =
                        EtcdCallException.of(() -> cluster.promote(learner.id()));
                memory = memory.promoted(clock.instant()).answered(failure, clock.instant());
                yield new JoinStep.Progressed(message);
            }
            case JoinDecision.RemoveBlockingLearner(Member member, String why) ->
                removeBlockingLearner(member, why);
            case JoinDecision.RemoveOwnLearner(JoinEntry entry, Member learner) ->
                removeOwnLearner(entry, learner);
            case JoinDecision.CleanNode clean -> cleanNode(clean);
            case JoinDecision.Wait wait -> {
                boolean ours = wait.reason() == WaitReason.STARTING
                        || wait.reason() == WaitReason.CATCHING_UP;
                if (ours && isStarting()) {
                    local.help(isAnnounced());
                }
                yield waiting(wait);
            }
            case JoinDecision.Finish(JoinEntry entry, Member member, String message) -> {
                journal.write(entry);
                journal.clear();
                yield new JoinStep.Joined(member, message);
            }
            case JoinDecision.Fail(FailReason reason, Problem problem) ->
                new JoinStep.Failed(reason, problem);
            case JoinDecision.RolledBack(RollbackOutcome outcome, Optional<JoinEntry> entry) -> {
                entry.ifPresentOrElse(journal::write, journal::clear);
                yield new JoinStep.RolledBack(outcome, "");
            }
        };
    }

    /** It has served nobody yet, and has no vote. */
    private boolean isStarting() {
        return memory.learnerProgress().flatMap(LearnerProgress::progress).isEmpty()
                && journal.read()
                        .filter(entry -> entry.state().compareTo(JoinState.PROMOTING) < 0)
                        .isPresent();
    }

    private boolean isAnnounced() {
        Optional<MemberId> own = journal.read().flatMap(JoinEntry::memberId);
        return seen instanceof ClusterView.Seen(EtcdHealth health)
                && health.members().stream()
                        .filter(Member::started)
                        .map(Member::id)
                        .anyMatch(id -> own.equals(Optional.of(id)));
    }

    private JoinStep add(JoinEntry entry) {
        journal.write(entry);
        Member added;
        try {
            added = adder.add(cluster, wanted.peerUrls());
        } catch (EtcdCallException e) {
            memory = memory.answered(Optional.of(e), clock.instant());
            if (e.errorClass() != ErrorClass.AMBIGUOUS) {
                journal.write(entry.notAdded(clock.instant()));
            }
            return new JoinStep.Progressed("");
        }
        memory = memory.answered(Optional.empty(), clock.instant());
        journal.write(entry.added(added.id(), clock.instant()));
        quorumNeedsOurs = !adder.addsLearners() && entry.addsSecondVoter();
        return new JoinStep.Progressed(
                "added etcd member %s to the cluster".formatted(added.describe()));
    }

    /**
     * Makes room, or takes our learner back.
     *
     * @param before has to be done before the removal is sent
     * @param after  what a confirmed removal comes to
     */
    private JoinStep remove(Member member, Runnable before, JoinStep after) {
        if (!(seen instanceof ClusterView.Seen(EtcdHealth health))) {
            throw new IllegalStateException("decided without a look: removing " + member);
        }
        AtomicBoolean sent = new AtomicBoolean();
        Removal removal = new MemberRemoval()
                .attempt(cluster, health, OwnMember.asListed(member), new Removal.Progress() {
                    @Override
                    public void removing(Member going) {
                        before.run();
                        sent.set(true);
                    }
                });
        return switch (removal) {
            case Removal.Confirmed(Member gone) -> {
                memory = memory.answered(Optional.empty(), clock.instant());
                yield sent.get() ? after : new JoinStep.Progressed("");
            }
            case Removal.Declined(RemovalPlan.Refused(Problem problem)) ->
                refused(member, ErrorClass.WAIT, problem.facts(), Duration.ofSeconds(1));
            case Removal.Declined(RemovalPlan.LastMember last) ->
                refused(
                        member,
                        ErrorClass.NEEDS_HUMAN,
                        "it is the only voter",
                        Duration.ofSeconds(1));
            // the next look shows it, and decides anew
            case Removal.Declined(RemovalPlan.NotListed _) -> new JoinStep.Progressed("");
            case Removal.Declined(RemovalPlan.Unproven _) -> new JoinStep.Progressed("");
            case Removal.Declined(RemovalPlan.Promoted _) -> new JoinStep.Progressed("");
            case Removal.MustWait(String why, Duration pause, ErrorClass cause) ->
                refused(member, cause, why, pause);
            case Removal.StillListed(Member listed, String why, String next, ErrorClass cause) ->
                refused(member, cause, why, Duration.ofSeconds(1));
        };
    }

    private JoinStep refused(Member member, ErrorClass cause, String why, Duration pause) {
        memory = memory.refused(cause, why, clock.instant());
        return new JoinStep.Waiting(
                WaitReason.UNCONFIRMED,
                "removing %s: %s".formatted(member.describe(), why),
                pause,
                Optional.empty());
    }

    private JoinStep removeBlockingLearner(Member member, String why) {
        // our own, if its data is lost: the journal must not go on expecting it
        Optional<JoinEntry> own = journal.read()
                .filter(entry -> entry.memberId().filter(member.id()::equals).isPresent());
        // an ID is made of the URL and the second: the next add must not fall into the same
        return remove(
                member,
                () -> own.ifPresent(entry -> journal.write(entry.notAdded(clock.instant()))),
                new JoinStep.Waiting(
                        WaitReason.UNCONFIRMED,
                        "removed etcd member %s: %s".formatted(member.describe(), why),
                        Duration.ofMillis(1100),
                        Optional.empty()));
    }

    private JoinStep removeOwnLearner(JoinEntry entry, Member learner) {
        noteIfPossible(entry);
        return remove(
                learner, () -> memory = memory.removed(learner.id()), new JoinStep.Progressed(""));
    }

    /**
     * What is rolled back is rolled back even if it cannot be noted, as on a full disk: a learner
     * that stays is worse than a journal that is behind, which the next run compares with the
     * member list.
     */
    private void noteIfPossible(JoinEntry entry) {
        try {
            journal.write(entry);
        } catch (RuntimeException e) {
            LOG.warn("the journal cannot be written: {}", e.getMessage());
        }
    }

    private JoinStep cleanNode(JoinDecision.CleanNode clean) {
        clean.entry().ifPresent(this::noteIfPossible);
        String node = local.stopAndSetAside();
        journal.clear();
        memory = JoinMemory.begun(clock.instant());
        return clean.outcome()
                .<JoinStep>map(outcome -> new JoinStep.RolledBack(outcome, node))
                .orElseGet(() -> new JoinStep.Progressed(clean.message() + "; " + node));
    }
}
