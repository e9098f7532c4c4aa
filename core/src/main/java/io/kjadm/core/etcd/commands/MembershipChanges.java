package io.kjadm.core.etcd.commands;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberRemoval;
import io.kjadm.etcd.OwnMember;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinStep;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.Promotion;
import io.kjadm.etcd.join.ReplicationProgress;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Changes the members as {@link MemberCommandRules} allow. Every change is decided on the list that
 * all voters agree on, made once, and read back; what the reply was does not matter.
 */
public final class MembershipChanges {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** The server's own limit, a late change, an election, and all that once more. */
    private static final Duration REMOVAL_LIMIT = Duration.ofMinutes(1);

    private static final Duration SETTLE_INTERVAL = Duration.ofSeconds(1);
    /** In which a learner that gets on is seen to. */
    private static final Duration OBSERVATION = Duration.ofSeconds(3);

    /** A join may have taken the turn since it was looked at. */
    private static final Duration TURN_LIMIT = Duration.ofMinutes(2);

    private final EtcdSession session;
    private final MembershipLock turns;
    private final Waiter waiter;
    private final Reporter out;
    private final Consumer<EtcdStatus> refusals;
    private final MemberCommandRules rules = new MemberCommandRules();
    private final MemberRemoval removal = new MemberRemoval();

    /**
     * @param session  what is changed, and asked
     * @param turns    keeps joins and resets away meanwhile
     * @param waiter   the clock; a dry run's only reports waits
     * @param refusals shows the operator how the members are when a change is refused
     */
    public MembershipChanges(
            EtcdSession session,
            MembershipLock turns,
            Waiter waiter,
            Reporter out,
            Consumer<EtcdStatus> refusals) {
        this.session = session;
        this.turns = turns;
        this.waiter = waiter;
        this.out = out;
        this.refusals = refusals;
    }

    /**
     * Removes a member, its leadership handed over first. May be repeated.
     *
     * @param word ID or name
     * @throws UsageException   if no member or more than one is meant
     * @throws ClusterException if the rules are against it and nothing is changed, or if it is
     *         listed to the end
     */
    public void remove(String word) {
        EtcdSurvey.Heard seen = look();
        Member member = MemberCommandRules.member(seen.health().members(), word);
        MembershipLeaseStatus lock = lock();
        if (!allowed(rules.remove(seen.health(), member, lock), seen, lock)) {
            return;
        }
        inTurn(lock, "member remove", () -> takeOut(member));
        tellQuorum();
        if (session.node().name().filter(member.name()::equals).isPresent()) {
            out.warn(
                    "this node's etcd has been removed for good: clean this node with 'kjadm reset'");
        }
    }

    /**
     * Promotes a learner as soon as it may vote by our rule: it holds what was committed when the
     * wait began and is close to the leader.
     *
     * @param word  ID or name
     * @param limit how long to wait for it to catch up
     * @throws UsageException   if no member or more than one is meant
     * @throws ClusterException if the rules are against it and nothing is changed, or if it is a
     *         learner to the end
     */
    public void promote(String word, Duration limit) {
        EtcdSurvey.Heard seen = look();
        Member member = MemberCommandRules.member(seen.health().members(), word);
        MembershipLeaseStatus lock = lock();
        if (!allowed(rules.promote(seen.health(), member, lock), seen, lock)) {
            return;
        }
        JoinLimits limits = JoinLimits.DEFAULTS.withTotal(limit);
        MemberJoinExecutor promotion =
                Promotion.of(session.cluster(), seen.health(), member, limits, session::now);
        Await await = new Await(
                AREA,
                "learner %s to catch up and become a voter".formatted(member.describe()),
                limit.plus(limits.fault()),
                SETTLE_INTERVAL,
                "it is still a learner; check its progress with 'kjadm etcd status', and promote it later");
        // a dry run reports the wait and has nothing to say
        inTurn(
                lock,
                "member promote",
                () -> waiter.until(await, () -> stepped(promotion))
                        .ifPresent(voter -> out.step(
                                AREA, "etcd member %s votes".formatted(voter.describe()))));
        tellQuorum();
    }

    private Attempt<Member> stepped(MemberJoinExecutor promotion) {
        while (true) {
            switch (promotion.step()) {
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
                    return Attempt.done(voter);
                }
                case JoinStep.Failed(Problem problem) -> throw new ClusterException(problem);
                case JoinStep.RolledBack rolledBack ->
                    throw new IllegalStateException("nobody asked to roll it back");
            }
        }
    }

    /**
     * Removes learners that show no sign of life, after showing them and asking.
     *
     * @param word         ID or name of the only one that is meant, if not all
     * @param insist       ask nothing, and take a learner that may be joining, if the rules let the
     *         operator say so
     * @param peers        whether something listens at a peer URL
     * @param confirmation asked unless that was said
     * @throws UsageException   if the operator says no
     * @throws ClusterException if one of them has to stay and nothing is changed, or if one is
     *         listed to the end
     */
    public void cleanUp(
            Optional<String> word,
            boolean insist,
            Predicate<URI> peers,
            Confirmation confirmation) {
        EtcdSurvey.Heard seen = look();
        EtcdHealth health = seen.health();
        List<Member> meant = word.map(
                        id -> List.of(MemberCommandRules.member(health.members(), id)))
                .orElseGet(health::learners);
        if (meant.isEmpty()) {
            out.step(AREA, "There is no learner");
            return;
        }
        if (!health.hasQuorum()) {
            throw new ClusterException(
                    "etcd has no quorum and cannot change its members",
                    health.unhealthyMembers(),
                    "bring a majority of the voters back first");
        }
        MembershipLeaseStatus lock = lock();
        List<Member> stale = new ArrayList<>();
        for (LearnerFacts facts : facts(meant, health, peers, lock)) {
            out.step(
                    AREA,
                    "Learner %s, %s"
                            .formatted(
                                    facts.learner().describe(),
                                    facts.owner()
                                            .map(owner -> "added by " + owner.who())
                                            .orElse("unknown who added it")));
            if (allowed(rules.cleanUp(facts, insist), seen, lock)) {
                stale.add(facts.learner());
            }
        }
        if (!insist
                && !confirmation.confirm(
                        AREA,
                        "%s will be removed from etcd for good. If a node is joining as it, "
                                        .formatted(
                                                stale.size() == 1
                                                        ? "This learner"
                                                        : "Each of these learners")
                                + "that join fails. Are you sure you want to proceed?")) {
            throw new UsageException(
                    "the cleanup was not confirmed",
                    "",
                    "answer y, or use --yes to skip the question");
        }
        inTurn(lock, "member cleanup", () -> stale.forEach(this::takeOut));
    }

    /**
     * Takes the turn if the Lease was free. If it is held and the rules allowed the change, its
     * holder has died or the operator insists; without the API server there is no Lease to hold.
     * The change is then safe because it is read back, like every other.
     */
    private void inTurn(MembershipLeaseStatus seen, String operation, Runnable change) {
        if (!(seen instanceof MembershipLeaseStatus.Free)) {
            change.run();
            return;
        }
        try (HeldLock _ = turns.take(Work.beginning(operation), TURN_LIMIT)) {
            change.run();
        }
    }

    private List<LearnerFacts> facts(
            List<Member> meant,
            EtcdHealth before,
            Predicate<URI> peers,
            MembershipLeaseStatus lock) {
        boolean someAnswer =
                meant.stream().anyMatch(member -> before.status(member.id()).isPresent());
        EtcdHealth after = someAnswer ? aMomentLater() : before;
        Instant now = session.now();
        return meant.stream()
                .map(member -> new LearnerFacts(
                        member,
                        EtcdStatus.progress(before, member),
                        EtcdStatus.progress(after, member),
                        member.peerUrls().stream().anyMatch(peers),
                        LearnerOwner.of(
                                member, before.learners(), session.node().noted(), lock),
                        now))
                .toList();
    }

    private EtcdHealth aMomentLater() {
        session.pause("checking whether the learner makes progress", OBSERVATION);
        return agreed();
    }

    /**
     * The facts that decide: of the list all voters agree on, once it is known that somebody
     * answers.
     */
    private EtcdSurvey.Heard look() {
        EtcdSurvey.Heard seen = session.survey();
        if (seen.health().leader().isEmpty()) {
            // nobody could tell more than what was seen
            return seen;
        }
        return new EtcdSurvey.Heard(seen.clusterId(), agreed(), seen.disputes());
    }

    private EtcdHealth agreed() {
        try {
            return EtcdHealth.ask(session.cluster());
        } catch (EtcdCallException e) {
            throw new ClusterException(
                    "etcd did not return the member list",
                    e.getMessage(),
                    "check etcd with 'kjadm etcd status', then try again",
                    e);
        }
    }

    private MembershipLeaseStatus lock() {
        MembershipLeaseStatus lock = session.lock();
        if (lock instanceof MembershipLeaseStatus.Unknown(String why)) {
            out.warn("it is unknown whether somebody else is changing etcd's members: " + why);
        }
        return lock;
    }

    private boolean allowed(Verdict verdict, EtcdSurvey.Heard seen, MembershipLeaseStatus lock) {
        return switch (verdict) {
            case Verdict.Allowed(String why) -> {
                out.step(AREA, "It can be done: " + why);
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

    /** Each attempt plans anew, so what others do meanwhile is taken into account. */
    private void takeOut(Member member) {
        Await await = new Await(
                AREA,
                "etcd member %s to be out of the cluster".formatted(member.describe()),
                REMOVAL_LIMIT,
                INTERVAL,
                "check the member with 'kjadm etcd status', then run the command again");
        waiter.until(await, () -> attempt(member));
    }

    private Attempt<Member> attempt(Member member) {
        try {
            return after(
                    member,
                    removal.attempt(
                            session.cluster(),
                            EtcdHealth.ask(session.cluster()),
                            OwnMember.asListed(member),
                            telling()));
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
                        "etcd member %s was promoted meanwhile".formatted(voter.id()),
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
    private void tellQuorum() {
        try {
            EtcdHealth health = EtcdHealth.ask(session.cluster());
            out.step(AREA, "Now " + health.quorumText());
        } catch (EtcdCallException e) {
            out.warn("the health of the members is unknown now: " + e.text());
        }
    }
}
