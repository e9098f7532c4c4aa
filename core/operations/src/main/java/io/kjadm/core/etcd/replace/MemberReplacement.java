package io.kjadm.core.etcd.replace;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.MemberCommandRules;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.commands.Verdict;
import io.kjadm.core.etcd.upkeep.AlarmDisarm;
import io.kjadm.core.journal.ReplaceStage;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdSurvey;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.check.EtcdRule;
import io.kjadm.etcd.join.DistantJoin;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.NewMember;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Replaces a voter by a member whose etcd somebody starts elsewhere. What is done next is noted
 * before, so the same command resumes a run that was killed: the new member is known by
 * its URL and the members that were listed before, the old one by its ID.
 */
public final class MemberReplacement {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final EtcdSession session;
    private final MembershipSteps steps;
    private final ReplaceJournal journal;
    private final Supplier<ClusterFacts> facts;
    private final AlarmDisarm alarms;
    private final Reporter out;

    /**
     * What the operator says.
     *
     * @param limit       for the new member, from its add to its vote
     * @param prepareOnly whether nothing is changed
     */
    public record Options(Duration limit, boolean prepareOnly) {}

    /**
     * @param facts  looks at all members at once, as a join does
     * @param alarms disarms {@code CORRUPT} once its member has left
     */
    public MemberReplacement(
            EtcdSession session,
            MembershipSteps steps,
            ReplaceJournal journal,
            Supplier<ClusterFacts> facts,
            AlarmDisarm alarms,
            Reporter out) {
        this.session = session;
        this.steps = steps;
        this.journal = journal;
        this.facts = facts;
        this.alarms = alarms;
        this.out = out;
    }

    /**
     * Replaces a voter. May be repeated.
     *
     * @param word         ID or name of the old one
     * @param confirmation asked whether the machine of the new one is ready
     * @throws UsageException   if no member or more than one is meant, or the operator says no
     * @throws ClusterException if something is against it, or if the new member does not come to
     *         vote: then the journal stays
     */
    public void replace(String word, NewMember wanted, Options options, Confirmation confirmation) {
        EtcdSurvey.Heard seen = steps.look();
        MembershipLeaseStatus lock = steps.lock();
        Optional<ReplaceEntry> unfinished = journal.read();
        if (unfinished.isPresent()) {
            requireSame(unfinished.get(), word, wanted, seen);
            busy(seen, lock);
            out.step(
                    AREA,
                    "Resuming the replacement of %s that began at %s"
                            .formatted(
                                    unfinished.get().old().describe(),
                                    unfinished.get().began()));
            if (!options.prepareOnly()) {
                steps.inTurn(lock, "member replace", () -> carryOut(unfinished.get(), options));
            }
            return;
        }
        if (isDone(seen.health(), word, wanted)) {
            out.step(
                    AREA,
                    "Nothing to do: %s votes, and no member %s is listed"
                            .formatted(wanted.name(), word));
            return;
        }
        begin(seen, lock, word, wanted, options, confirmation);
    }

    private void begin(
            EtcdSurvey.Heard seen,
            MembershipLeaseStatus lock,
            String word,
            NewMember wanted,
            Options options,
            Confirmation confirmation) {
        EtcdHealth health = seen.health();
        Member old = MemberCommandRules.member(health.members(), word);
        busy(seen, lock);
        ReplacePlan.Ordered plan = ordered(seen, lock, old);
        ClusterFacts cluster = facts.get();
        boolean removeFirst = plan.order() == ReplaceOrder.REMOVE_FIRST;
        NewMemberFindings.require(
                wanted,
                removeFirst ? ReplaceRules.without(cluster, old) : cluster,
                plan.allowDegraded(),
                // in the end there are as many voters as now
                finding -> finding.rule() != EtcdRule.VOTERS,
                out);
        tell(plan, old, wanted, health);
        if (options.prepareOnly()) {
            out.print(StartLines.of(
                    wanted,
                    removeFirst
                            ? health.members().stream()
                                    .filter(member -> !member.equals(old))
                                    .toList()
                            : health.members()));
            return;
        }
        confirmation.require(
                AREA,
                "Is the new machine ready, and should %s be removed permanently?"
                        .formatted(old.label()),
                "the replacement");
        ReplaceEntry entry = ReplaceEntry.begun(
                plan.order(), clusterId(health), old, wanted, ids(health), session.now());
        steps.inTurn(lock, "member replace", () -> {
            // of a replacement that was aborted: it would refuse the new member after the removal
            journal.joining().clear();
            journal.write(entry);
            carryOut(entry, options);
        });
    }

    private void busy(EtcdSurvey.Heard seen, MembershipLeaseStatus lock) {
        Optional<Verdict.Refused> busy = MemberCommandRules.busy(lock);
        if (busy.isPresent()) {
            steps.allowed(busy.get(), seen, lock);
        }
    }

    private ReplacePlan.Ordered ordered(
            EtcdSurvey.Heard seen, MembershipLeaseStatus lock, Member old) {
        return switch (ReplaceRules.plan(seen.health(), old)) {
            case ReplacePlan.Ordered ordered -> ordered;
            case ReplacePlan.Refused(Problem problem) -> {
                steps.allowed(new Verdict.Refused(problem), seen, lock);
                throw new IllegalStateException("a refusal throws");
            }
        };
    }

    private void tell(ReplacePlan.Ordered plan, Member old, NewMember wanted, EtcdHealth health) {
        Quorum now = health.quorum();
        out.step(AREA, "Replacing %s: %s".formatted(old.describe(), plan.why()));
        out.step(
                AREA,
                switch (plan.order()) {
                    case ADD_FIRST ->
                        "Order: add %s as a learner, promote it (%d voters), remove %s (%d voters)"
                                .formatted(
                                        wanted.name(), now.voters() + 1, old.label(), now.voters());
                    case REMOVE_FIRST ->
                        "Order: remove %s (%d voters), add %s as a learner, promote it (%d voters)"
                                .formatted(
                                        old.label(), now.voters() - 1, wanted.name(), now.voters());
                });
        out.print(StartLines.prerequisites(wanted, health));
    }

    /** What is noted must be what is meant now, and of this cluster. */
    private void requireSame(
            ReplaceEntry entry, String word, NewMember wanted, EtcdSurvey.Heard seen) {
        Set<String> clusters = seen.health().clusterIds();
        boolean sameCluster = clusters.isEmpty() || clusters.contains(entry.clusterId());
        boolean sameMembers = entry.wanted().equals(wanted)
                && (word.equals(entry.old().name())
                        || word.equalsIgnoreCase(entry.old().id().toString()));
        if (!sameCluster || !sameMembers) {
            throw new ClusterException(
                    "a replacement that began at %s is not finished".formatted(entry.began()),
                    "it is of %s by %s at %s%s"
                            .formatted(
                                    entry.old().describe(),
                                    entry.wanted().name(),
                                    entry.wanted().peerUrlText(),
                                    sameCluster ? "" : ", in cluster " + entry.clusterId()),
                    "resume it: %s; or, to abort it, check 'kjadm etcd member list' and delete the directory %s"
                            .formatted(entry.command(), journal.directory()));
        }
    }

    private static boolean isDone(EtcdHealth health, String word, NewMember wanted) {
        boolean votes = health.voters().stream()
                .anyMatch(member -> wanted.hasUrlOf(member) && member.name().equals(wanted.name()));
        return votes
                && !word.equals(wanted.name())
                && health.members().stream()
                        .noneMatch(member -> member.name().equals(word)
                                || member.id().toString().equalsIgnoreCase(word));
    }

    private void carryOut(ReplaceEntry entry, Options options) {
        ReplaceEntry now = entry;
        // a dry run waits for nobody, and goes on as if the new member had come
        boolean asIfArrived = false;
        while (true) {
            switch (now.stage()) {
                case DEPARTURE -> takeOut(now, asIfArrived);
                case ARRIVAL -> asIfArrived = bringIn(now, options).isEmpty();
            }
            if (now.stage() == last(now.order())) {
                journal.clear();
                steps.tellQuorum();
                return;
            }
            now = now.at(last(now.order()));
            journal.write(now);
        }
    }

    private static ReplaceStage last(ReplaceOrder order) {
        return switch (order) {
            case ADD_FIRST -> ReplaceStage.DEPARTURE;
            case REMOVE_FIRST -> ReplaceStage.ARRIVAL;
        };
    }

    private void takeOut(ReplaceEntry entry, boolean asIfArrived) {
        if (entry.order() == ReplaceOrder.ADD_FIRST && !asIfArrived) {
            EtcdHealth health = steps.agreed();
            boolean replaced = health.voters().stream()
                    .anyMatch(voter -> entry.isNew(voter) && health.healthy(voter));
            if (!replaced && health.find(entry.old().id()).isPresent()) {
                throw new ClusterException(
                        "%s stays: the member that is to replace it does not vote and serve"
                                .formatted(entry.old().describe()),
                        "%s at %s was a voter when this was noted"
                                .formatted(entry.wanted().name(), entry.wanted().peerUrlText()),
                        "bring it back, then run the same command again; if it was removed, delete the directory %s and start again"
                                .formatted(journal.directory()));
            }
        }
        if (entry.order() == ReplaceOrder.REMOVE_FIRST) {
            requireStillDown(entry);
            steps.takeOut(entry.old(), health -> mayLeaveFirst(entry, health));
            return;
        }
        steps.takeOut(entry.old());
    }

    /** It may have come back since it was noted: then it stays until the new member votes. */
    private void requireStillDown(ReplaceEntry entry) {
        EtcdHealth health = steps.agreed();
        if (health.find(entry.old().id()).isPresent()
                && mayLeaveFirst(entry, health) instanceof Verdict.Refused(Problem problem)) {
            // nothing was changed by it, and the next run plans again
            journal.clear();
            throw new ClusterException(problem);
        }
    }

    private static Verdict mayLeaveFirst(ReplaceEntry entry, EtcdHealth health) {
        return switch (ReplaceRules.plan(health, entry.old())) {
            case ReplacePlan.Refused(Problem problem) -> new Verdict.Refused(problem);
            case ReplacePlan.Ordered(ReplaceOrder order, boolean _, String why) ->
                order == ReplaceOrder.REMOVE_FIRST
                        ? new Verdict.Allowed(why)
                        : new Verdict.Refused(new Problem(
                                "%s is not removed before the new member votes"
                                        .formatted(entry.old().describe()),
                                why,
                                "run the same command again: it plans the replacement again"));
        };
    }

    /** The new voter; empty in a dry run. */
    private Optional<Member> bringIn(ReplaceEntry entry, Options options) {
        EtcdHealth health = steps.agreed();
        alarms.disarmCorruptOfThoseGone(health);
        boolean listed = health.members().stream().anyMatch(entry::isNew);
        boolean oldIsDown = health.find(entry.old().id())
                .filter(old -> !health.healthy(old))
                .isPresent();
        NewMember wanted = entry.wanted();
        Await await = new Await(
                AREA,
                "etcd member %s to be started, to catch up and to vote".formatted(wanted.name()),
                options.limit().plus(JoinLimits.DEFAULTS.fault()),
                INTERVAL,
                "read the log of its etcd");
        try {
            Optional<Member> arrived = steps.follow(
                    DistantJoin.of(
                            session.cluster(),
                            wanted,
                            journal.joining(),
                            new DistantJoin.Terms(listed, oldIsDown, options.limit()),
                            (members, own) -> out.print(StartLines.of(wanted, members)),
                            session::now),
                    await);
            arrived.ifPresent(
                    voter -> out.step(AREA, "etcd member %s votes".formatted(voter.describe())));
            return arrived;
        } catch (ClusterException e) {
            if (e.reason().filter(FailReason.REMOVED::equals).isPresent()) {
                // the same command adds it again, which the note of the one that is gone would
                // refuse
                journal.joining().clear();
            }
            throw new ClusterException(
                    e.problem().with("", "%s; %s".formatted(e.next(), again())), e);
        }
    }

    private String again() {
        return "nothing was rolled back: run the same command to continue; to abort, remove the new member with 'kjadm etcd member remove' and delete the directory "
                + journal.directory();
    }

    private static String clusterId(EtcdHealth health) {
        return health.leaderStatus()
                .map(status -> status.clusterId())
                .orElseGet(() -> String.join(",", health.clusterIds()));
    }

    private static Set<MemberId> ids(EtcdHealth health) {
        return health.members().stream().map(Member::id).collect(Collectors.toUnmodifiableSet());
    }
}
