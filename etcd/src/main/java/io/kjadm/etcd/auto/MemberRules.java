package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Failed;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision.Act;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.Step.Join;
import io.kjadm.etcd.auto.Step.Remove;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.Later;
import io.kjadm.etcd.auto.Verdict.No;

import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The members of a cluster that was founded. */
final class MemberRules {

    /** A machine that runs a command writes a report every 10 s. */
    static final Duration ACTOR_GONE = Duration.ofMinutes(2);

    /** So often a command fails on a machine that reports, before others go first. */
    private static final int GIVES_UP = 3;

    private static final Duration JOIN_RANK = Duration.ofSeconds(5);
    private static final Duration TAKE_OVER_RANK = Duration.ofSeconds(20);

    private MemberRules() {}

    /** A step, unless it failed a short time ago. */
    static Applies attempt(AutoFacts facts, Step step, String why) {
        return new Applies(facts.memory()
                .waits(step.getClass())
                .filter(failed -> failed.step().equals(step))
                .<Decision>map(MemberRules::nextTry)
                .orElseGet(() -> new Act(step, why)));
    }

    private static Wait nextTry(Failed failed) {
        return new Wait(
                WaitCode.FAILED,
                "%s; the next try is in %d s"
                        .formatted(failed.text(), failed.tryAgain().toSeconds()),
                "");
    }

    /** A machine that begins a generation or a change keeps others from it. */
    static Optional<Verdict> holdsOff(AutoFacts facts, Class<? extends Step> command) {
        return facts.memory().waits(command).map(failed -> new Applies(nextTry(failed)));
    }

    static Verdict goOn(AutoFacts facts) {
        Optional<Open<Change>> open = facts.charter()
                .change()
                .filter(change -> change.body().actor().equals(facts.self().id()));
        if (open.isEmpty()) {
            return new No("no change of this machine is open");
        }
        String why = "this machine %s (slot %d)"
                .formatted(open.get().body().text(), open.get().slot());
        Optional<Added> added = open.get().body().added();
        if (added.isPresent()) {
            return goOn(facts, open.get(), added.get(), why);
        }
        return facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _) && health.isLed()
                ? new Applies(RepairRules.carryOut(facts, open.get(), health, why))
                : new No("no member responds");
    }

    private static Verdict goOn(AutoFacts facts, Open<Change> open, Added added, String why) {
        Step join = new Join(own(facts), endpoints(facts.charter()));
        Data data = facts.local().data();
        if (!(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _))) {
            if (data instanceof Data.Lost(String cause)) {
                // it may have voted: what it has forgotten must not be written once more
                return StoreRules.wait(
                        WaitCode.QUORUM,
                        cause + ", and no member responds",
                        "start the other members");
            }
            return FormRules.founderIsGone(facts)
                    ? new No("the founder is gone, and no member responds")
                    : attempt(facts, join, why);
        }
        Optional<Member> own = listed(health, added);
        // a join is not finished while another voter is down, and that one is not replaced before
        boolean joined = own.filter(Member::voter).isPresent()
                && (facts.local().setUp()
                        || data instanceof Data.Lost
                        || failedOrPaused(facts, join));
        // what is left of a member that was removed meanwhile is cleared when the change is closed
        boolean over = data instanceof Data.Blank
                || data instanceof Data.Held(int _, var member) && member.isPresent();
        boolean givesUp = givesUp(facts, Join.class);
        boolean rolledBack = own.isEmpty() && (over && failedOrPaused(facts, join) || givesUp);
        if (joined || rolledBack) {
            return new Applies(new Append(
                    closing(facts, health, open),
                    joined
                            ? "member %s votes".formatted(own.get().describe())
                            : facts.memory()
                                    .failed()
                                    .filter(_ -> givesUp)
                                    .map(Failed::text)
                                    .orElse(
                                            "the join was rolled back, and etcd does not list the member"),
                    ""));
        }
        // a join does not continue a learner that has run elsewhere, or here before the disk was
        // put back; one that fails again and again does not remove it either
        Optional<Member> left = own.filter(member -> member.learner()
                && (givesUp || member.started() && !holds(data, member) && failed(facts, join)));
        return left.map(member -> attempt(
                        facts,
                        new Remove(member.id()),
                        givesUp
                                ? facts.memory().failed().orElseThrow().text()
                                : "the data of %s are not on this machine"
                                        .formatted(member.describe())))
                .orElseGet(() -> attempt(facts, join, why));
    }

    private static boolean holds(Data data, Member member) {
        return data instanceof Data.Held(int _, var held)
                && held.filter(member.id()::equals).isPresent();
    }

    /** A new member has the version of the oldest one: an upgrade may not have ended, or not begun. */
    static Step.Own own(AutoFacts facts) {
        Step.Own own = facts.self().member();
        Optional<EtcdVersion> oldest =
                facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _)
                        ? health.versions().stream().findFirst()
                        : Optional.empty();
        return oldest.map(version -> new Step.Own(own.name(), own.address(), version, own.flags()))
                .orElse(own);
    }

    /**
     * Ends the change of a machine that does not report, or has lost its data. A voter that it removes is removed, unless it
     * responds again; a learner that it adds is removed. A call that the machine sends late finds no
     * learner to promote; one that adds a learner adds no vote.
     */
    static Verdict takeOver(AutoFacts facts) {
        Charter charter = facts.charter();
        Optional<Open<Change>> open = charter.change()
                .filter(change -> !change.body().actor().equals(facts.self().id()));
        if (open.isEmpty()) {
            return new No("no change of another machine is open");
        }
        Change change = open.get().body();
        Optional<AutoFacts.Seen> actor = Optional.ofNullable(facts.machines().get(change.actor()));
        // what it has announced it does not do without its own member
        boolean lost = actor.flatMap(seen -> seen.report().doing().code())
                .filter(WaitCode.LOST::equals)
                .isPresent();
        boolean silent =
                actor.filter(seen -> seen.still().compareTo(ACTOR_GONE) >= 0).isPresent();
        if (actor.isPresent() && !silent && !lost) {
            return new No("machine %s reports".formatted(change.actor()));
        }
        if (charter.seat(facts.self().id()).isEmpty()
                || change.removed().equals(charter.seat(facts.self().id()).map(Seat::id))
                || !(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _))
                || !health.isLed()) {
            return new No("this machine has no voter that responds and stays");
        }
        String why = "machine %s, which %s (slot %d), %s"
                .formatted(
                        change.actor(),
                        change.text(),
                        open.get().slot(),
                        lost
                                ? "has lost its data"
                                : "has not reported for %d min".formatted(ACTOR_GONE.toMinutes()));
        Optional<Member> learner =
                change.added().flatMap(added -> listed(health, added)).filter(Member::learner);
        Decision decision = change.removed().isPresent()
                ? RepairRules.carryOut(facts, open.get(), health, why)
                : learner.map(member ->
                                attempt(facts, new Remove(member.id()), why).decision())
                        .orElseGet(() -> new Append(closing(facts, health, open.get()), why, ""));
        Duration rank = TAKE_OVER_RANK.multipliedBy(place(facts, change.removed()));
        // a machine that was silent may have begun the change after its report was read
        return new Later((silent ? RepairRules.LOOK_AGAIN : ACTOR_GONE).plus(rank), decision);
    }

    /**
     * Voters act in the order of the log; a machine without a voter comes last.
     *
     * @param leaves the voter that does not act
     */
    static int place(AutoFacts facts, Optional<MemberId> leaves) {
        return (int) facts.charter().voters().stream()
                .takeWhile(seat -> !seat.on(facts.self().id()))
                .filter(seat -> leaves.filter(seat.id()::equals).isEmpty())
                .count();
    }

    private static boolean failedOrPaused(AutoFacts facts, Step join) {
        return facts.charter().pause().isPresent() || failed(facts, join);
    }

    /** A failure of an earlier change is no reason to end this one untried. */
    private static boolean failed(AutoFacts facts, Step join) {
        return facts.memory()
                .waits(Join.class)
                .filter(failed -> failed.step().equals(join))
                .isPresent();
    }

    /** Whether a command has failed so often on this machine that others go first. */
    static boolean givesUp(AutoFacts facts, Class<? extends Step> command) {
        return facts.memory()
                .waits(command)
                .filter(failed -> failed.times() >= GIVES_UP)
                .isPresent();
    }

    private static Optional<Member> listed(EtcdHealth health, Added added) {
        return health.members().stream().filter(member -> is(member, added)).findFirst();
    }

    private static boolean is(Member member, Added added) {
        return new HashSet<>(member.peerUrls()).equals(new HashSet<>(added.peerUrls()));
    }

    /** Ends a change with what etcd lists, also where others have changed the members meanwhile. */
    static EntryBody closing(AutoFacts facts, EtcdHealth health, Open<Change> open) {
        List<Seat> seats = seats(facts, health, open.body().added());
        Done done = new Done(open.slot(), seats);
        return facts.charter().members().objection(done).isEmpty() ? done : new Observed(seats);
    }

    /** The voters that etcd lists, each with the machine that the log knows it on. */
    static List<Seat> seats(AutoFacts facts, EtcdHealth health, Optional<Added> added) {
        return health.voters().stream()
                .map(voter -> facts.charter()
                        .members()
                        .seat(voter.id())
                        .orElseGet(() -> seat(voter, added.filter(it -> is(voter, it)))))
                .toList();
    }

    private static Seat seat(Member voter, Optional<Added> ours) {
        return ours.map(added -> new Seat(
                        voter.id(),
                        voter.name(),
                        Optional.of(added.machine()),
                        added.peerUrls(),
                        voter.clientUrls()))
                .orElseGet(() -> Seat.of(voter));
    }

    /** Client URLs of the voters. */
    static List<URI> endpoints(Charter charter) {
        return charter.voters().stream()
                .flatMap(seat -> seat.clientUrls().stream())
                .toList();
    }

    static Verdict members(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.phase() == Phase.NONE) {
            return new No("there is no cluster");
        }
        if (!(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, String cluster))) {
            String why = ((EtcdView.Silent) facts.etcd()).why();
            return RestoreRules.noQuorum(
                    facts,
                    "no member responds: " + why,
                    "start etcd on the machines of %s".formatted(names(charter)));
        }
        if (charter.cluster().filter(cluster::equals).isEmpty()) {
            return StoreRules.wait(
                    WaitCode.SPLIT,
                    "the members report cluster %s, the log knows %s"
                            .formatted(cluster, charter.cluster().orElseThrow()),
                    "run 'kjadm etcd recover' on each machine");
        }
        if (!health.isLed() || !health.hasQuorum()) {
            return RestoreRules.noQuorum(
                    facts,
                    "%s: %s".formatted(health.quorumText(), health.unhealthyMembers()),
                    "start etcd on these machines");
        }
        return health.learners().stream()
                .findFirst()
                .map(learner -> unknown(facts, learner))
                .orElseGet(() -> new No("the members respond"));
    }

    /**
     * A learner that no open change adds. This machine may have sent the call late, when another one
     * had closed its change; nobody joins while the learner is there.
     */
    private static Verdict unknown(AutoFacts facts, Member learner) {
        String why = "etcd lists a learner that the log does not know: " + learner.describe();
        boolean own = learner.peerUrls().contains(facts.self().peerUrl())
                && facts.charter().seat(facts.self().id()).isEmpty();
        if (!own || facts.memory().held(Rule.MEMBERS).compareTo(ACTOR_GONE) < 0) {
            return StoreRules.wait(
                    WaitCode.LEARNER, why, "finish its join, or run 'kjadm etcd member cleanup'");
        }
        return attempt(facts, new Remove(learner.id()), why);
    }

    static String names(Charter charter) {
        return charter.voters().stream().map(Seat::name).collect(Collectors.joining(", "));
    }

    static Verdict join(AutoFacts facts) {
        Charter charter = facts.charter();
        int nodes = charter.seed().spec().nodes();
        if (charter.phase() == Phase.NONE) {
            return new No("there is no cluster to join");
        }
        if (charter.seat(facts.self().id()).isPresent()) {
            return unfinished(facts)
                    ? attempt(
                            facts,
                            new Join(own(facts), endpoints(charter)),
                            "the member of this machine votes, and its join has not finished")
                    : new No("this machine has a voter");
        }
        if (charter.voters().size() >= nodes) {
            return new No("the cluster has its %d voters".formatted(nodes));
        }
        if (!(facts.local().data() instanceof Data.Blank)) {
            return StoreRules.wait(
                    WaitCode.DISK,
                    "etcd's data directory on this machine is in use, and not by a voter of the log",
                    "run 'kjadm etcd reset' on this machine, or another machine joins");
        }
        if (!facts.local().readiness().ok()) {
            return StoreRules.wait(
                    WaitCode.READY,
                    "this machine is not ready: "
                            + String.join(", ", facts.local().readiness().missing()),
                    "");
        }
        if (!(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _))
                || !health.allVotersHealthy()) {
            return StoreRules.wait(
                    WaitCode.HEALTHY,
                    "this machine joins when all voters are healthy"
                            + (facts.etcd() instanceof EtcdView.Answers(EtcdHealth sick, var _)
                                    ? ": " + sick.unhealthyMembers()
                                    : ""),
                    "start etcd on their machines");
        }
        Optional<Verdict> failed = holdsOff(facts, Join.class);
        if (failed.isPresent()) {
            return failed.get();
        }
        Step step = new Join(own(facts), endpoints(charter));
        // machines with lower IDs that could join as well go first
        long rank = RepairRules.spares(facts).stream()
                .filter(id -> id.compareTo(facts.self().id()) < 0)
                .count();
        Change change = Change.add(
                charter.generation(),
                new Added(
                        facts.self().id(),
                        facts.self().member().name(),
                        List.of(facts.self().peerUrl())),
                charter.voterIds());
        return new Later(
                JOIN_RANK.multipliedBy(rank),
                new Append(
                        change,
                        "%d of %d voters, all of them healthy"
                                .formatted(charter.voters().size(), nodes),
                        step.command()));
    }

    private static boolean unfinished(AutoFacts facts) {
        return !facts.local().setUp()
                && facts.charter().founder().filter(facts.self().id()::equals).isEmpty()
                && facts.local().data() instanceof Data.Held
                && facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _)
                && health.allVotersHealthy();
    }
}
