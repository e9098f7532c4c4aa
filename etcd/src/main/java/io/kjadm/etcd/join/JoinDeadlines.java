package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Whether a decision to wait has come to its limit, by what the wait is for. */
record JoinDeadlines(NewMember wanted, JoinLimits limits) {

    /** In a failure, calls that old still say where the way is closed. */
    private static final Duration CALL_AGE = Duration.ofSeconds(30);

    /** Faults pass within their limit or not at all; waiting one's turn may take longer. */
    JoinDecision failIfFaultPersists(JoinFacts facts, JoinDecision decision) {
        if (!(decision instanceof JoinDecision.Wait wait) || !wait.reason().fault()) {
            return decision;
        }
        boolean tooLong = facts.memory().waits().inTroubleFor(limits.fault(), facts.now());
        return tooLong
                ? new JoinDecision.Fail(
                        FailReason.NOT_ACCEPTED,
                        new Problem(
                                "etcd does not accept a new member",
                                wait.detail(),
                                "check that all etcd members are healthy"))
                : wait;
    }

    /**
     * A member that moves may take its time; one that stands still or shows no sign of life may
     * not.
     */
    JoinDecision failIfStalled(JoinFacts facts, JoinEntry entry, JoinDecision decision) {
        if (!(decision instanceof JoinDecision.Wait wait)) {
            return decision;
        }
        MemberId id = entry.memberId().orElseThrow();
        LearnerProgress learnerProgress = facts.memory().learnerProgress().orElseThrow();
        Optional<StartProblem> hopeless =
                facts.node().life().problem().filter(problem -> !problem.passing());
        if (hopeless.isPresent()) {
            return doesNotStart(facts, id, hopeless.get().problem());
        }
        if (passed(learnerProgress.signs().signAt(), facts.now(), limits.fault())) {
            return new JoinDecision.Fail(
                    FailReason.NO_START,
                    new Problem(
                            "etcd member %s does not start".formatted(id),
                            "nothing on this node has answered for it for %d s; seen from the cluster: %s%s"
                                    .formatted(
                                            limits.fault().toSeconds(),
                                            wait.detail(),
                                            lastWords(facts)),
                            "read etcd's log ('crictl logs', or 'journalctl -u etcd') and that of the kubelet, if there is one"));
        }
        if (passed(learnerProgress.signs().progressAt(), facts.now(), limits.stall())) {
            return stalled(facts, id, wait, learnerProgress);
        }
        if (passed(learnerProgress.since(), facts.now(), limits.total())
                && wait.reason() == WaitReason.VOTER_UNHEALTHY) {
            return new JoinDecision.Fail(
                    FailReason.NOT_PROMOTED,
                    new Problem(
                            "etcd member %s is ready but was not promoted".formatted(id),
                            "%d min after it was added %s"
                                    .formatted(limits.total().toMinutes(), wait.detail()),
                            "bring the voter back, or remove it if it is gone for good (kjadm etcd member remove)"));
        }
        if (passed(learnerProgress.since(), facts.now(), limits.total())) {
            return new JoinDecision.Fail(
                    FailReason.TOO_SLOW,
                    new Problem(
                            "etcd member %s is not a voter after %d min"
                                    .formatted(id, limits.total().toMinutes()),
                            wait.detail()
                                    + learnerProgress
                                            .progress()
                                            .map(at -> ", " + at)
                                            .orElse(""),
                            "read etcd's log on this node; a longer limit helps a member that makes progress"));
        }
        return wait;
    }

    /** A way that is closed is told besides: what etcd says of it names no port. */
    private JoinDecision doesNotStart(JoinFacts facts, MemberId id, Problem problem) {
        List<Member> others = others(facts, id);
        Optional<PeerReach> reach = PeerReach.of(facts, CALL_AGE, others);
        if (reach.isEmpty() && !others.isEmpty()) {
            return new JoinDecision.CallPeers(others);
        }
        Optional<PeerReach> closed = reach.filter(calls -> !calls.closed(others).isEmpty());
        return new JoinDecision.Fail(
                FailReason.START_FAILED,
                new Problem(
                        "etcd member %s does not start: %s".formatted(id, problem.what()),
                        problem.why()
                                + closed.map(calls -> "; " + calls.closed(others))
                                        .orElse(""),
                        problem.next()
                                + closed.map(calls -> "; " + calls.cure(others, wanted.peerUrl()))
                                        .orElse("")));
    }

    private static List<Member> others(JoinFacts facts, MemberId id) {
        return facts.view() instanceof ClusterView.Seen(EtcdHealth health)
                ? health.voters().stream()
                        .filter(voter -> voter.started() && !voter.id().equals(id))
                        .toList()
                : List.of();
    }

    private JoinDecision stalled(
            JoinFacts facts, MemberId id, JoinDecision.Wait wait, LearnerProgress learnerProgress) {
        List<Member> others = others(facts, id);
        Optional<PeerReach> reach = PeerReach.of(facts, CALL_AGE, others);
        if (reach.isEmpty() && !others.isEmpty()) {
            return new JoinDecision.CallPeers(others);
        }
        return new JoinDecision.Fail(
                FailReason.STALLED,
                new Problem(
                        "etcd member %s makes no progress".formatted(id),
                        "for %d s neither its log nor its data has grown: %s%s%s%s"
                                .formatted(
                                        limits.stall().toSeconds(),
                                        wait.detail(),
                                        learnerProgress
                                                .progress()
                                                .map(at -> ", " + at)
                                                .orElse(""),
                                        lastWords(facts),
                                        reach.map(calls -> "; "
                                                        + calls.suspicion(others, wanted.peerUrl()))
                                                .orElse("")),
                        reach.map(calls -> calls.cure(others, wanted.peerUrl()))
                                .orElse(
                                        "check that %s can be reached from the other members and read etcd's log on this node"
                                                .formatted(wanted.peerUrl()))));
    }

    private static String lastWords(JoinFacts facts) {
        return facts.node()
                .life()
                .problem()
                .map(problem -> "; " + problem.problem().facts())
                .orElse("");
    }

    static boolean passed(Instant since, Instant now, Duration limit) {
        return Duration.between(since, now).compareTo(limit) >= 0;
    }
}
