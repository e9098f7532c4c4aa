package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdErrors;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The part of {@link JoinDecider} that comes before a member of this node is listed, or after it
 * has to go: what a re-join does with what is there, who is first, and whether cluster and node are
 * fit for an add.
 */
record AddDecider(
        NewMember wanted,
        JoinPlace place,
        String runId,
        MemberAdder adder,
        RejoinOptions options,
        JoinLimits limits) {

    /** A kubelet that was just started is healthy after a third of a second. */
    private static final Duration A_MOMENT = Duration.ofMillis(150);

    private static final Duration SHORT = Duration.ofMillis(500);
    private static final Duration SECOND = Duration.ofSeconds(1);
    /**
     * A learner in the way that does not even answer is left that long before {@code --takeover}
     * removes it.
     */
    private static final Duration SILENT_BLOCKER = Duration.ofSeconds(60);
    /** How long it is remembered whether somebody listens on a learner's peer port. */
    private static final Duration KNOCK_AGE = Duration.ofSeconds(30);

    /** For a node whose journal names no member that may be listed. */
    JoinDecision decide(JoinFacts facts, EtcdHealth health) {
        if (health.leaderStatus().isEmpty()) {
            return deadlines()
                    .failIfFaultPersists(
                            facts,
                            health.hasQuorum()
                                    ? new JoinDecision.Wait(
                                            WaitReason.NO_LEADER,
                                            "the members do not agree on a leader",
                                            SHORT)
                                    : new JoinDecision.Wait(
                                            WaitReason.UNHEALTHY,
                                            health.unhealthyMembers(),
                                            SHORT));
        }
        return rejoin(facts, health);
    }

    private JoinDeadlines deadlines() {
        return new JoinDeadlines(wanted, limits);
    }

    /** By what is listed, and what lies on this node. */
    JoinDecision rejoin(JoinFacts facts, EtcdHealth health) {
        Optional<JoinDecision> decided = new Rejoin(wanted, place, options, limits)
                .decide(
                        health,
                        facts.node().dataDir(),
                        facts.now(),
                        own -> resume(facts, health, own));
        if (decided.isEmpty()) {
            return addIfFit(facts, health);
        }
        return decided.get()
                        instanceof JoinDecision.RemoveBlockingLearner(Member member, String why)
                ? removeBlockingLearner(facts, member, why)
                : decided.get();
    }

    private JoinDecision resume(JoinFacts facts, EtcdHealth health, Member own) {
        JoinEntry entry = facts.journal()
                .filter(known -> known.state() == JoinState.DONE)
                .orElseGet(() -> prepared(facts, health));
        return new JoinDecision.Note(
                entry.member(
                        own.id(),
                        own.voter() ? JoinState.PROMOTED : JoinState.STARTED,
                        health.commit(),
                        facts.now()),
                "resuming the join of etcd member " + own.describe());
    }

    /** Removes a member, until etcd has refused that for too long. */
    JoinDecision removeBlockingLearner(JoinFacts facts, Member member, String why) {
        Optional<JoinMemory.Refusal> refusal = facts.memory().sent().refusal();
        boolean inVain = facts.memory().waits().inTroubleFor(limits.fault(), facts.now());
        if (refusal.isPresent() && (refusal.get().lasting() || inVain)) {
            return new JoinDecision.Fail(
                    FailReason.REMOVAL_REFUSED,
                    new Problem(
                            "etcd member %s cannot be removed".formatted(member.describe()),
                            refusal.get().text(),
                            "check that the voters have a quorum, then run the same command again"));
        }
        return new JoinDecision.RemoveBlockingLearner(member, why);
    }

    private JoinEntry prepared(JoinFacts facts, EtcdHealth health) {
        return JoinEntry.prepared(
                wanted,
                runId,
                health.leaderStatus().orElseThrow().clusterId(),
                health.members(),
                facts.now());
    }

    private JoinDecision addIfFit(JoinFacts facts, EtcdHealth health) {
        Optional<JoinDecision> queue = queue(facts, health);
        if (queue.isPresent()) {
            return queue.get();
        }
        Optional<JoinDecision> startProblem =
                clusterProblem(health).or(() -> adder.obstacle(health));
        if (startProblem.isPresent()) {
            return deadlines().failIfFaultPersists(facts, startProblem.get());
        }
        Optional<JoinMemory.Refusal> refusal = facts.memory().sent().refusal();
        if (refusal.isPresent() && refusal.get().lasting()) {
            return refused(refusal.get(), health);
        }
        if (refusal.isPresent() && !JoinDeadlines.passed(refusal.get().at(), facts.now(), SECOND)) {
            return deadlines().failIfFaultPersists(facts, again(refusal.get(), health));
        }
        boolean noted = facts.journal()
                .filter(entry ->
                        entry.state() == JoinState.PREPARED && entry.runId().equals(runId))
                .isPresent();
        if (!noted) {
            return new JoinDecision.Note(prepared(facts, health), "");
        }
        return facts.node()
                .startProblem()
                .map(problem -> unfitNode(facts, problem))
                .orElseGet(() -> new JoinDecision.Add(
                        facts.journal().get().adding(health.members(), facts.now())));
    }

    /** A member that cannot start here would only stand in the way of others. */
    private JoinDecision unfitNode(JoinFacts facts, StartProblem startProblem) {
        boolean tooLong = facts.memory().waits().inTroubleFor(limits.fault(), facts.now());
        return startProblem.passing() && !tooLong
                ? new JoinDecision.Wait(
                        WaitReason.NODE_UNFIT, startProblem.problem().facts(), A_MOMENT)
                : new JoinDecision.Fail(
                        FailReason.NODE_UNFIT,
                        new Problem(
                                "no etcd member was added: "
                                        + startProblem.problem().what(),
                                startProblem.problem().why(),
                                startProblem.problem().next()));
    }

    /**
     * One membership change at a time: the list a new member starts with must not change under it.
     */
    private Optional<JoinDecision> queue(JoinFacts facts, EtcdHealth health) {
        Optional<Member> other = health.members().stream()
                .filter(member -> member.learner() || !member.started())
                .findFirst();
        if (other.isEmpty()) {
            return Optional.empty();
        }
        Member member = other.get();
        String since = facts.memory()
                .blocker()
                .filter(blocker -> blocker.id().equals(member.id()))
                .map(blocker -> Duration.between(blocker.movedAt(), facts.now()).toSeconds())
                .filter(seconds -> seconds > 0)
                .map(", no progress seen for %d s"::formatted)
                .orElse("");
        Optional<JoinDecision> removal = member.learner() && abandoned(facts, member.id())
                ? removalOfBlocker(facts, member, since.replace(", no progress seen", ""))
                : Optional.empty();
        if (removal.isPresent()) {
            return removal;
        }
        if (facts.memory()
                .waits()
                .queueing()
                .filter(start -> JoinDeadlines.passed(start, facts.now(), limits.turn()))
                .isPresent()) {
            return Optional.of(new JoinDecision.Fail(
                    FailReason.QUEUED_TOO_LONG,
                    new Problem(
                            "gave up waiting for etcd to accept this member after %d min"
                                    .formatted(limits.turn().toMinutes()),
                            "another member is still joining: " + member.describe() + since,
                            "finish or remove that member (\"kjadm etcd member cleanup\"); with --takeover a learner that does not respond is removed after %d s"
                                    .formatted(SILENT_BLOCKER.toSeconds()))));
        }
        return Optional.of(new JoinDecision.Wait(
                member.learner() ? WaitReason.TOO_MANY_LEARNERS : WaitReason.MEMBER_NOT_STARTED,
                "another member is joining: " + member.describe() + since,
                Duration.ZERO));
    }

    /**
     * Unasked, a learner of somebody else goes only if it never started and nobody listens on its
     * peer port, where it would be receiving its data.
     */
    private Optional<JoinDecision> removalOfBlocker(JoinFacts facts, Member learner, String since) {
        String why = "it blocked this join and made no progress" + since;
        if (options.takeover()) {
            return Optional.of(removeBlockingLearner(facts, learner, why));
        }
        if (learner.started()) {
            return Optional.empty();
        }
        Optional<JoinMemory.Knock> knock = facts.memory()
                .blocker()
                .flatMap(JoinMemory.Blocker::knock)
                .filter(last -> !JoinDeadlines.passed(last.at(), facts.now(), KNOCK_AGE));
        if (knock.isEmpty()) {
            return Optional.of(new JoinDecision.ProbePeerPort(learner));
        }
        return knock.get().listens()
                ? Optional.empty()
                : Optional.of(removeBlockingLearner(facts, learner, why));
    }

    private boolean abandoned(JoinFacts facts, MemberId id) {
        return facts.memory()
                .blocker()
                .filter(blocker -> blocker.id().equals(id))
                .filter(blocker -> JoinDeadlines.passed(
                        blocker.movedAt(),
                        facts.now(),
                        options.takeover() && !blocker.answers()
                                ? SILENT_BLOCKER
                                : limits.abandoned().after()))
                .isPresent();
    }

    private static Optional<JoinDecision> clusterProblem(EtcdHealth health) {
        return health.alarmRaised()
                .or(health::downgradeUnderWay)
                .map(problem -> new JoinDecision.Fail(FailReason.CLUSTER_UNFIT, problem));
    }

    private static JoinDecision refused(JoinMemory.Refusal refusal, EtcdHealth health) {
        return new JoinDecision.Fail(
                FailReason.ADD_REFUSED,
                new Problem(
                        "etcd refuses the member: " + refusal.text(),
                        "members: "
                                + health.members().stream()
                                        .map(Member::describe)
                                        .collect(Collectors.joining("; ")),
                        "bring every listed member up, or remove those that are gone for good, then join again"));
    }

    private static JoinDecision again(JoinMemory.Refusal refusal, EtcdHealth health) {
        String text = "etcd returned \"%s\" %s"
                .formatted(refusal.text(), health.unhealthyMembers())
                .strip();
        WaitReason reason = switch (refusal.text()) {
            case EtcdErrors.TOO_MANY_LEARNERS -> WaitReason.TOO_MANY_LEARNERS;
            case EtcdErrors.NO_LEADER -> WaitReason.NO_LEADER;
            case EtcdErrors.UNHEALTHY -> WaitReason.UNHEALTHY;
            default -> WaitReason.UNREACHABLE;
        };
        return new JoinDecision.Wait(reason, text, SECOND);
    }
}
