package io.kjadm.etcd.join;

import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Sha256;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides the next step of a join from facts alone: it does no I/O, reads no clock and keeps no
 * state, so the program, its unit tests and the simulation run the same decisions.
 *
 * <p>The journal's state says what may have been sent; the member list says what came of it. A
 * state is left only when the list confirms it, so a run that was killed anywhere is continued by
 * the next one.
 */
public final class JoinDecider implements Function<JoinFacts, JoinDecision> {

    private static final Duration SHORT = Duration.ofMillis(500);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final NewMember wanted;
    private final JoinPlace place;
    private final MemberAdder adder;
    private final RejoinOptions options;
    private final JoinLimits limits;
    private final JoinDeadlines deadlines;
    private final AddDecider addDecider;
    private final VoteDecider voteDecider;

    /**
     * Of a control-plane node.
     *
     * @param runId names this run in the journal
     */
    public JoinDecider(
            NewMember wanted,
            String runId,
            MemberAdder adder,
            RejoinOptions options,
            JoinLimits limits) {
        this(wanted, JoinPlace.CONTROL_PLANE, runId, adder, options, limits);
    }

    /** Of whatever machine. */
    public JoinDecider(
            NewMember wanted,
            JoinPlace place,
            String runId,
            MemberAdder adder,
            RejoinOptions options,
            JoinLimits limits) {
        this.wanted = wanted;
        this.place = place;
        this.adder = adder;
        this.options = options;
        this.limits = limits;
        this.deadlines = new JoinDeadlines(wanted, limits);
        this.addDecider = new AddDecider(wanted, place, runId, adder, options, limits);
        this.voteDecider = new VoteDecider(adder, options, limits);
    }

    @Override
    public JoinDecision apply(JoinFacts facts) {
        if (facts.rollingBack()) {
            return new JoinRollback(wanted, adder, options, limits)
                    .decide(
                            facts,
                            Optional.of(facts.memory().waits().rollingBack().orElse(facts.now())));
        }
        return switch (facts.view()) {
            case ClusterView.Unreadable silence ->
                addedAfterAll(facts, silence.remembered())
                        .orElseGet(() -> unreadable(facts, silence));
            case ClusterView.Seen(EtcdHealth health) -> seen(facts, health);
        };
    }

    // ---- nobody lists the members

    /** The reply to the add of a second voter was lost, and the first one waits for it. */
    private Optional<JoinDecision> addedAfterAll(JoinFacts facts, List<Member> remembered) {
        return facts.journal()
                .filter(entry -> entry.state() == JoinState.ADDING)
                .flatMap(entry -> JoinMemory.own(wanted, facts.journal(), remembered)
                        .map(own -> nowAdded(facts, entry, own)));
    }

    private static JoinDecision nowAdded(JoinFacts facts, JoinEntry entry, Member own) {
        return new JoinDecision.Note(
                entry.added(own.id(), facts.now()),
                "the cluster lists etcd member %s, whose add was in progress"
                        .formatted(own.describe()));
    }

    private JoinDecision unreadable(JoinFacts facts, ClusterView.Unreadable silence) {
        ErrorClass errorClass = silence.errorClass();
        String text = silence.text();
        if (errorClass == ErrorClass.FATAL || errorClass == ErrorClass.NEEDS_HUMAN) {
            return new JoinDecision.Fail(
                    FailReason.ACCESS_REFUSED,
                    new Problem(
                            "etcd does not accept the request",
                            text,
                            "check the endpoints and the etcd client certificate of this node"));
        }
        Optional<JoinEntry> entry = facts.journal();
        JoinDecision wait = waitFor(
                silence.noLeader() ? WaitReason.NO_LEADER : WaitReason.UNREACHABLE, text, SHORT);
        if (entry.isEmpty() || entry.get().memberId().isEmpty()) {
            return deadlines.failIfFaultPersists(facts, wait);
        }
        if (!adder.addsLearners()
                && !facts.memory().sent().manifestWritten()
                && !voted(entry.get())) {
            // a second voter takes the quorum away until it runs, so nobody can list then; the list
            // it has to be started with is the old one and itself, as no other change can have
            // happened either
            Member own = new Member(
                    entry.get().memberId().get(), "", wanted.peerUrls(), List.of(), false);
            return manifest(facts, entry.get(), plus(entry.get().before(), own), own);
        }
        boolean quorumNeedsOurs = !adder.addsLearners() && !voted(entry.get());
        if (quorumNeedsOurs) {
            return deadlines.failIfStalled(
                    facts,
                    entry.get(),
                    waitFor(
                            WaitReason.STARTING,
                            "the cluster lists no members until the new voter runs: " + text,
                            Duration.ZERO));
        }
        Instant since = facts.memory().waits().silent().orElse(facts.now());
        Duration limit = entry.get().state() == JoinState.PROMOTED && adder.addsLearners()
                ? limits.finalCheck()
                : limits.fault();
        if (JoinDeadlines.passed(since, facts.now(), limit)) {
            return new JoinDecision.Fail(
                    FailReason.MEMBERS_UNREADABLE,
                    new Problem(
                            "the etcd member list can no longer be read",
                            text,
                            voted(entry.get())
                                    ? recoveryAdvice(entry.get())
                                    : "check that a majority of the voters is healthy"));
        }
        return wait;
    }

    private static String recoveryAdvice(JoinEntry entry) {
        List<Member> before = entry.before().stream().filter(Member::voter).toList();
        return before.size() == 1
                ? ("two voters need each other: get etcd to run on %s and on this node, then run the same command again;"
                                + " nothing is lost. If one of the disks is gone for good, restore a snapshot")
                        .formatted(before.getFirst().label())
                : "bring a majority of the voters back, then run the same command again";
    }

    private static boolean voted(JoinEntry entry) {
        return entry.state().compareTo(JoinState.PROMOTING) >= 0;
    }

    private static List<Member> plus(List<Member> before, Member own) {
        return Stream.concat(
                        before.stream().filter(member -> !member.id().equals(own.id())),
                        Stream.of(own))
                .toList();
    }

    // ---- the members are listed

    private JoinDecision seen(JoinFacts facts, EtcdHealth health) {
        Optional<JoinEntry> known =
                facts.journal().filter(entry -> entry.state().mayBeListed());
        if (known.isEmpty()) {
            return addDecider.decide(facts, health);
        }
        JoinEntry entry = known.get();
        Optional<JoinDecision> another = ofAnotherJoin(entry, health);
        if (another.isPresent()) {
            return another.get();
        }
        if (entry.leaving()) {
            return new JoinRollback(wanted, adder, RejoinOptions.NONE, limits)
                    .decide(facts, Optional.empty());
        }
        if (entry.state() == JoinState.ADDING) {
            return adding(facts, entry, health);
        }
        return JoinMemory.own(wanted, known, health.members())
                .map(own -> listed(facts, entry, health, own))
                .orElseGet(() -> absent(facts, entry));
    }

    /**
     * The journal speaks of another cluster, or of another member than the one that is wanted now.
     */
    private Optional<JoinDecision> ofAnotherJoin(JoinEntry entry, EtcdHealth health) {
        if (!health.clusterIds().isEmpty() && !health.clusterIds().contains(entry.clusterId())) {
            return Optional.of(new JoinDecision.Fail(
                    FailReason.OTHER_CLUSTER,
                    new Problem(
                            "an unfinished join of this node belongs to another etcd cluster, "
                                    + entry.clusterId(),
                            "the cluster that is joined now is "
                                    + String.join(", ", health.clusterIds()),
                            "run the join of that cluster again, or first " + place.cleanUp())));
        }
        if (!entry.name().equals(wanted.name()) || !wanted.peerUrl().equals(entry.peerUrl())) {
            return Optional.of(new JoinDecision.Fail(
                    FailReason.OTHER_MEMBER,
                    new Problem(
                            "an unfinished join of this node is for etcd member %s at %s"
                                    .formatted(entry.name(), entry.peerUrl()),
                            "now it is to be %s at %s".formatted(wanted.name(), wanted.peerUrl()),
                            "run the join with the previous name and address again, or first "
                                    + place.cleanUp())));
        }
        return Optional.empty();
    }

    // ---- an add is or was under way

    private JoinDecision adding(JoinFacts facts, JoinEntry entry, EtcdHealth health) {
        Optional<Member> ours = JoinMemory.own(wanted, Optional.of(entry), health.members());
        if (ours.isPresent()) {
            return nowAdded(facts, entry, ours.get());
        }
        Optional<Duration> mayAppearFor = mayAppearFor(facts);
        if (mayAppearFor.isEmpty()) {
            return deadlines.failIfFaultPersists(
                    facts,
                    waitFor(WaitReason.NO_LEADER, "the members do not agree on a leader", SHORT));
        }
        return mayAppearFor.get().isPositive()
                ? deadlines.failIfFaultPersists(
                        facts,
                        waitFor(
                                WaitReason.UNCONFIRMED,
                                "the outcome of the last add is not known yet",
                                mayAppearFor.get()))
                : new JoinDecision.Note(
                        entry.notAdded(facts.now()),
                        "the add that was in progress has not been applied");
    }

    /**
     * How much longer our member, which is not listed, may still come to be: zero if it certainly
     * will not. Empty while there is no leader, as nobody can say then.
     */
    static Optional<Duration> mayAppearFor(JoinFacts facts) {
        Optional<JoinMemory.Absence> absence = facts.memory().absence();
        if (absence.isEmpty()
                || !(facts.view() instanceof ClusterView.Seen(EtcdHealth health))
                || health.leaderTerm().isEmpty()) {
            return Optional.empty();
        }
        Duration left =
                Duration.between(facts.now(), absence.get().since().plus(EtcdCluster.LATE_CHANGE));
        return Optional.of(left.isPositive() ? left : Duration.ZERO);
    }

    private JoinDecision absent(JoinFacts facts, JoinEntry entry) {
        MemberId id = entry.memberId().orElseThrow();
        if (mayAppearFor(facts).filter(Duration::isZero).isEmpty()) {
            return deadlines.failIfFaultPersists(
                    facts,
                    waitFor(WaitReason.UNCONFIRMED, "member " + id + " is not listed", SECOND));
        }
        if (facts.memory().seen() || entry.state() == JoinState.PROMOTED) {
            return new JoinDecision.Fail(
                    FailReason.REMOVED,
                    new Problem(
                            "etcd member %s was removed by another program or operator"
                                    .formatted(id),
                            "it is no longer in the member list",
                            entry.state() == JoinState.PROMOTED
                                    ? "find out who removed it; then %s, and join again"
                                            .formatted(place.cleanUp())
                                    : "find out who removed it"));
        }
        Optional<Member> other = facts.otherOwner(entry);
        if (other.isPresent()) {
            return new JoinDecision.Fail(
                    FailReason.OTHER_DATA,
                    new Problem(
                            "this node has noted a join of etcd member %s, which is not listed, and holds the data of %s"
                                    .formatted(id, other.get().describe()),
                            "the note is of an earlier join, and the member that is listed must keep its data",
                            "if this node needs no further join, delete kjadm-etcd-join in "
                                    + place.notes()));
        }
        return new JoinDecision.CleanNode(
                Optional.of(entry.leaving(true, facts.now())),
                "etcd member %s of an earlier run is no longer listed: starting over".formatted(id),
                Optional.empty());
    }

    // ---- our member is listed

    private JoinDecision listed(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        boolean unasked = own.voter() && adder.addsLearners() && !own.started();
        if (unasked && entry.state() == JoinState.ADDED) {
            return new JoinDecision.Fail(
                    FailReason.ADDED_AS_VOTER,
                    new Problem(
                            "etcd added %s as a voter although a learner was requested"
                                    .formatted(own.describe()),
                            "a member of the cluster does not support learners",
                            "run \"kjadm etcd member remove %s\" at once and upgrade etcd"
                                    .formatted(own.id())));
        }
        if (own.learner() && !adder.addsLearners()) {
            return adder.follow(facts, entry, health, own);
        }
        return switch (entry.state()) {
            case ADDED, MANIFEST ->
                own.started()
                        ? new JoinDecision.Note(
                                entry.member(
                                        own.id(), JoinState.STARTED, entry.commit(), facts.now()),
                                "")
                        : deadlines.failIfStalled(facts, entry, start(facts, entry, health, own));
            case STARTED, PROMOTING -> started(facts, entry, health, own);
            case PROMOTED -> settled(facts, entry, health, own);
            case PREPARED, ADDING, DONE ->
                throw new IllegalStateException("no member is known when " + entry.state());
        };
    }

    /**
     * A member starts only with the exact member list; if that changed before its first start, so
     * must the manifest.
     */
    private JoinDecision start(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        boolean current =
                entry.manifest().filter(fingerprint(health.members())::equals).isPresent();
        if (!facts.memory().sent().manifestWritten() || !current) {
            return manifest(facts, entry, health.members(), own);
        }
        return waitFor(
                WaitReason.STARTING,
                facts.memory()
                        .learnerProgress()
                        .flatMap(LearnerProgress::transfer)
                        .map(SnapshotTransfer::describe)
                        .orElse("the member has not started yet"),
                Duration.ZERO);
    }

    private static JoinDecision manifest(
            JoinFacts facts, JoinEntry entry, List<Member> members, Member own) {
        return new JoinDecision.WriteManifest(
                entry.manifest(fingerprint(members), facts.now()), members, own);
    }

    /** Of the members and their peer URLs, in any order. */
    static String fingerprint(List<Member> members) {
        String text = members.stream()
                .map(member -> member.id() + " " + member.peerUrls())
                .sorted()
                .collect(Collectors.joining("\n"));
        byte[] hash = Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(hash, 0, 8);
    }

    private JoinDecision started(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        if (own.voter()) {
            return new JoinDecision.Note(
                    entry.member(
                            own.id(),
                            JoinState.PROMOTED,
                            Math.max(entry.commit(), health.commit()),
                            facts.now()),
                    "");
        }
        boolean lost = dataLost(facts, health, own);
        Duration promotionMayCome = facts.promotionMayComeFor(entry);
        if (lost && promotionMayCome.isPositive()) {
            return waitFor(
                    WaitReason.UNCONFIRMED, JoinRollback.PROMOTION_MAY_COME, promotionMayCome);
        }
        if (lost) {
            return addDecider.removeBlockingLearner(
                    facts, own, "its data is lost, and a learner does not count for the quorum");
        }
        Optional<JoinMemory.Refusal> refusal = facts.memory().sent().refusal();
        if (refusal.isPresent() && refusal.get().lasting()) {
            return new JoinDecision.Fail(
                    FailReason.PROMOTION_REFUSED,
                    new Problem(
                            "etcd does not promote member " + own.id(),
                            refusal.get().text(),
                            "the member is still a learner; fix the cause first"));
        }
        JoinDecision next = adder.follow(facts, entry, health, own);
        return deadlines.failIfStalled(
                facts,
                entry,
                next instanceof JoinDecision.Promote promote
                        ? voteDecider.beforeVote(facts, health, promote)
                        : next);
    }

    private static boolean dataLost(JoinFacts facts, EtcdHealth health, Member own) {
        return !facts.node().dataDir().dataPresent()
                && health.status(own.id()).isEmpty()
                && !facts.node().life().alive();
    }

    private JoinDecision settled(JoinFacts facts, JoinEntry entry, EtcdHealth health, Member own) {
        if (dataLost(facts, health, own)) {
            return addDecider.rejoin(facts, health);
        }
        return voteDecider.afterVote(facts, entry, health, own);
    }

    private static JoinDecision.Wait waitFor(WaitReason reason, String detail, Duration pause) {
        return new JoinDecision.Wait(reason, detail, pause);
    }
}
