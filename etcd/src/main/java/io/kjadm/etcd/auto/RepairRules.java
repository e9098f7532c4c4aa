package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Claim;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.Step.Remove;
import io.kjadm.etcd.auto.Step.Reset;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.Later;
import io.kjadm.etcd.auto.Verdict.No;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A voter that is lost, and members that others have changed. A voter is only removed while all other
 * voters are healthy: then etcd goes on with them, whatever becomes of the one that was removed. The
 * place is free then, and a machine that is ready joins.
 */
final class RepairRules {

    /** A machine whose cluster is open writes a report every minute, another one every 10 s. */
    static final Duration SILENT = Duration.ofSeconds(150);
    /** The report of lost data holds for so long. */
    static final Duration LOOK_AGAIN = Duration.ofSeconds(20);

    /** A snapshot that is older is not the one before a removal. */
    private static final Duration SAVED = Duration.ofHours(1);

    /** Longer than a change may take that etcd was asked for. */
    private static final Duration WITHDRAW = EtcdCluster.LATE_CHANGE.multipliedBy(2);

    private static final Duration OBSERVE = Duration.ofSeconds(15);
    private static final Duration OBSERVE_RANK = Duration.ofSeconds(5);
    private static final Duration REMOVE_RANK = Duration.ofSeconds(20);

    /** Of two voters none can be removed while the other one alone knows why. */
    private static final int FEWEST = 3;

    private static final Set<WaitCode> BROKEN =
            Set.of(WaitCode.DISK, WaitCode.UNIT, WaitCode.ADDRESS, WaitCode.FAILED);

    private RepairRules() {}

    /** A record, not a change: it is written during a pause too. */
    static Verdict observed(AutoFacts facts) {
        Charter charter = facts.charter();
        boolean ours = charter.runs()
                && charter.change().isEmpty()
                && facts.etcd() instanceof EtcdView.Answers(EtcdHealth _, String cluster)
                && charter.cluster().filter(cluster::equals).isPresent();
        if (!ours || !(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _))) {
            return new No("etcd does not list members, or a change of them is open");
        }
        Optional<String> difference = charter.members().difference(health);
        if (difference.isEmpty() || !health.isLed() || !health.hasQuorum()) {
            return new No("etcd lists the voters of the log");
        }
        Duration left = OBSERVE.plus(
                        OBSERVE_RANK.multipliedBy(MemberRules.place(facts, Optional.empty())))
                .minus(facts.memory().held(Rule.OBSERVED));
        return left.isPositive()
                ? StoreRules.wait(
                        WaitCode.FOREIGN,
                        "others have changed the members: " + difference.get(),
                        "")
                : new Applies(new Append(
                        new Observed(MemberRules.seats(facts, health, Optional.empty())),
                        "others have changed the members: " + difference.get(),
                        ""));
    }

    static Verdict held(AutoFacts facts) {
        return facts.charter()
                .members()
                .held()
                .<Verdict>map(slot -> StoreRules.wait(
                        WaitCode.FOREIGN,
                        "others have removed a voter (slot %d); no machine changes members"
                                .formatted(slot),
                        "run 'kjadm etcd auto resume' when they may again"))
                .orElseGet(() -> new No("no voter was removed by others"));
    }

    /** A person has set up the member of this machine, and etcd lists it as a voter. */
    static Verdict claim(AutoFacts facts) {
        Charter charter = facts.charter();
        Optional<Seat> own = facts.local().data() instanceof Data.Held(int _, var member)
                ? member.flatMap(charter.members()::seat)
                        .filter(seat -> seat.machine().isEmpty())
                : Optional.empty();
        if (!charter.runs() || charter.seat(facts.self().id()).isPresent() || own.isEmpty()) {
            return new No("the log lists no voter of this machine as one of no machine");
        }
        Seat seat = own.get();
        if (!seat.peerUrls().contains(facts.self().peerUrl())) {
            // a copy of the machine has the same data, and another address
            return StartRules.elsewhere(facts, seat);
        }
        boolean healthy = facts.local().unit() == UnitState.ACTIVE
                && facts.local().setUp()
                && facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _)
                && health.find(seat.id()).filter(health::healthy).isPresent();
        if (healthy) {
            return new Applies(new Append(
                    new Claim(charter.generation(), seat.id()),
                    "member %s runs on this machine".formatted(seat.name()),
                    ""));
        }
        // what kjadm has not set up is claimed as soon as it is as kjadm would have it
        boolean differs = !facts.local().setUp() && !facts.local().readiness().ok();
        return differs
                ? StoreRules.wait(
                        WaitCode.READY,
                        "member %s of this machine is not claimed: %s"
                                .formatted(
                                        seat.name(),
                                        String.join(
                                                ", ", facts.local().readiness().missing())),
                        "change that on this machine, then run 'systemctl restart etcd'")
                : StoreRules.wait(
                        WaitCode.READY,
                        "member %s of this machine is not healthy".formatted(seat.name()),
                        "run 'systemctl start etcd'");
    }

    /** Its member was removed while it was away: the machine can become a new one. */
    static Verdict clear(AutoFacts facts) {
        Charter charter = facts.charter();
        boolean former = charter.runs()
                && charter.seat(facts.self().id()).isEmpty()
                && switch (facts.local().data()) {
                    case Data.Held(int generation, var _) -> generation == charter.generation();
                    case Data.Lost _ -> true;
                    default -> false;
                };
        if (!former || !(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _))) {
            return new No("nothing of a member that was removed is on this machine");
        }
        Optional<MemberId> own = facts.local().data() instanceof Data.Held(int _, var member)
                ? member
                : Optional.empty();
        Optional<Member> listed = health.members().stream()
                .filter(member -> own.filter(member.id()::equals).isPresent()
                        || member.peerUrls().contains(facts.self().peerUrl()))
                .findFirst();
        if (listed.isPresent()) {
            return new No("etcd lists member " + listed.get().describe());
        }
        return MemberRules.attempt(
                facts,
                new Reset(MemberRules.endpoints(charter)),
                "etcd does not list the member of this machine: it was removed");
    }

    static Verdict remove(AutoFacts facts) {
        Charter charter = facts.charter();
        Optional<MemberId> own = charter.seat(facts.self().id()).map(Seat::id);
        if (!charter.runs()
                || own.isEmpty()
                || !(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _))) {
            return new No("this machine has no voter of a cluster that responds");
        }
        List<Member> down =
                health.voters().stream().filter(voter -> !health.healthy(voter)).toList();
        if (down.size() != 1 || down.getFirst().id().equals(own.get())) {
            return new No("not one other voter is down, but %d are".formatted(down.size()));
        }
        if (health.voters().size() < FEWEST) {
            return new No(
                    "a voter of %d is not removed".formatted(health.voters().size()));
        }
        Optional<Seat> lost = charter.members().seat(down.getFirst().id());
        Optional<MachineId> machine = lost.flatMap(Seat::machine);
        if (machine.isEmpty()) {
            return new No(
                    "no machine of the log has added member " + down.getFirst().describe());
        }
        // nobody but the founder says that the cluster is ready
        boolean founds = charter.phase() == Phase.FORMING && machine.equals(charter.founder());
        return founds
                ? new No("a cluster whose founder is gone is abandoned")
                : remove(facts, lost.get(), machine.get());
    }

    private static Verdict remove(AutoFacts facts, Seat lost, MachineId machine) {
        Optional<Seen> seen = Optional.ofNullable(facts.machines().get(machine));
        Optional<WaitCode> code = seen.flatMap(it -> it.report().doing().code());
        boolean reports = seen.filter(it -> it.still().compareTo(SILENT) < 0).isPresent();
        // what a machine said before it was gone says that it was paused, and not that it is
        boolean byAPerson = code.filter(WaitCode.STOPPED::equals).isPresent()
                || reports && code.filter(WaitCode.PAUSED::equals).isPresent();
        if (byAPerson) {
            return new No("a person has stopped member %s".formatted(lost.name()));
        }
        if (reports && code.filter(WaitCode.LOST::equals).isPresent()) {
            // etcd has the same data on all other voters: nothing is risked by its removal
            return remove(
                    facts,
                    lost,
                    LOOK_AGAIN,
                    "the data of member %s are lost, and all other voters are healthy"
                            .formatted(lost.name()));
        }
        Optional<Duration> after = facts.charter().seed().spec().replaceAfter();
        if (after.isEmpty()) {
            return new No("machines are not replaced in this cluster");
        }
        // these conditions hold the time, so the voter is down for as long as the rule is asked
        boolean silent =
                seen.filter(it -> it.still().compareTo(after.get()) < 0).isEmpty();
        boolean broken = reports && code.filter(BROKEN::contains).isPresent();
        Optional<String> command = seen.filter(_ -> reports && !silent)
                .flatMap(it -> it.report().doing().step());
        String why = "member %s is down, and its machine %s"
                .formatted(
                        lost.name(),
                        broken
                                ? "waits (%s)".formatted(code.orElseThrow().text())
                                : command.map("runs '%s'"::formatted)
                                        .orElse(
                                                reports && !silent
                                                        ? "reports"
                                                        : "does not report"));
        Duration left = after.get().minus(facts.memory().held(Rule.REMOVE));
        if (left.isPositive()) {
            return StoreRules.wait(
                    WaitCode.AGE,
                    "%s; another machine may take its place in %d s"
                            .formatted(why, left.toSeconds() + 1),
                    command.isPresent()
                            ? ""
                            : "start etcd on its machine, or run 'kjadm etcd auto pause'");
        }
        if (!silent && !broken) {
            return StoreRules.wait(WaitCode.HEALTHY, why, "start etcd on its machine");
        }
        return spares(facts).isEmpty()
                ? StoreRules.wait(
                        WaitCode.SPARE,
                        why + ", and no other machine is ready",
                        "start etcd on its machine, or run 'kjadm etcd auto STORE' on one more machine")
                : removeSaved(facts, lost, after.get(), why + "; all other voters are healthy");
    }

    /**
     * The voter that is down leaves, or else the newest that does not lead. Its machine is a spare
     * then.
     */
    static Verdict shrink(AutoFacts facts) {
        Charter charter = facts.charter();
        Optional<Seat> own = charter.seat(facts.self().id());
        if (!charter.hasSurplus()
                || own.isEmpty()
                || !(facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _))) {
            return new No("the cluster has no more voters than it is to have");
        }
        Optional<Seat> leaves = surplus(charter, health);
        if (leaves.isEmpty()) {
            return new No("no voter can leave while others are down");
        }
        String why = "%d voters are wanted, and there are %d; all that stay are healthy"
                .formatted(charter.seed().spec().nodes(), charter.voters().size());
        return leaves.equals(own)
                ? StoreRules.wait(WaitCode.TURN, why + "; another machine removes this member", "")
                : removeSaved(facts, leaves.get(), Duration.ZERO, why);
    }

    private static Optional<Seat> surplus(Charter charter, EtcdHealth health) {
        List<Seat> down = charter.voters().stream()
                .filter(seat -> !isHealthy(health, seat))
                .toList();
        if (!down.isEmpty()) {
            return down.size() == 1 && charter.voters().size() >= FEWEST
                    ? Optional.of(down.getFirst())
                    : Optional.empty();
        }
        Optional<MemberId> leader = health.leader().map(Member::id);
        return charter.voters().reversed().stream()
                .filter(seat -> seat.machine().isPresent()
                        && leader.filter(seat.id()::equals).isEmpty())
                .findFirst();
    }

    private static boolean isHealthy(EtcdHealth health, Seat seat) {
        return health.find(seat.id()).filter(health::healthy).isPresent();
    }

    /** A snapshot is saved first, once clients use the cluster. */
    private static Verdict removeSaved(AutoFacts facts, Seat lost, Duration after, String why) {
        Verdict remove = remove(facts, lost, after, why);
        boolean saved = facts.charter().phase() != Phase.OPEN
                || facts.charter().seed().spec().unsaved()
                || facts.memory()
                        .saved()
                        .filter(age -> age.compareTo(SAVED) < 0)
                        .isPresent();
        return !saved && remove instanceof Later(Duration turn, Decision _)
                ? new Later(turn, save(facts, why + "; a snapshot is saved first"))
                : remove;
    }

    private static Verdict remove(AutoFacts facts, Seat lost, Duration after, String why) {
        Charter charter = facts.charter();
        if (charter.members().tooFast(facts.memory().now())) {
            return StoreRules.wait(
                    WaitCode.PACE,
                    "%s, but %d voters were removed within %d h"
                            .formatted(why, Membership.PACE, Membership.PERIOD.toHours()),
                    "find out why machines are lost; 'kjadm etcd auto pause' and then 'resume' allow more");
        }
        Remove step = new Remove(lost.id());
        Applies attempt = MemberRules.attempt(facts, step, why);
        if (attempt.decision() instanceof Wait) {
            return attempt;
        }
        return new Later(
                after.plus(
                        REMOVE_RANK.multipliedBy(MemberRules.place(facts, Optional.of(lost.id())))),
                new Append(
                        Change.remove(
                                charter.generation(),
                                facts.self().id(),
                                lost.id(),
                                charter.voterIds()),
                        why,
                        step.command()));
    }

    /** What fails once may succeed the next time; later a person finds out why. */
    private static Decision save(AutoFacts facts, String why) {
        Step step = facts.self().backup().save();
        Decision attempt = MemberRules.attempt(facts, step, why).decision();
        boolean again = facts.memory()
                .failed()
                .filter(failed -> failed.step().equals(step) && failed.times() > 1)
                .isPresent();
        return again && attempt instanceof Wait wait
                ? new Wait(
                        WaitCode.BACKUP,
                        wait.why(),
                        "find out why 'kjadm etcd snapshot save' fails; 'kjadm etcd auto approve spec backup=off' removes the voter without a snapshot")
                : attempt;
    }

    /** Machines that could take a member now; a command that failed may fail again. */
    static List<MachineId> spares(AutoFacts facts) {
        return facts.machines().values().stream()
                .filter(seen -> seen.reports()
                        && seen.report().ready().ok()
                        && seen.report().member().id().isEmpty()
                        && seen.report()
                                .doing()
                                .code()
                                .filter(WaitCode.FAILED::equals)
                                .isEmpty()
                        && facts.charter().seat(seen.report().id()).isEmpty())
                .map(seen -> seen.report().id())
                .sorted()
                .toList();
    }

    /**
     * The voter that this machine removes stays. Until that is written nothing is sent: a call of an
     * earlier run may still come for some seconds.
     */
    static Verdict withdraw(AutoFacts facts) {
        Optional<Charter.Open<Change>> open = facts.charter()
                .change()
                .filter(change -> change.body().actor().equals(facts.self().id()));
        Optional<String> stays = open.isPresent()
                        && facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, var _)
                ? stays(facts, health, open.get().body())
                : Optional.empty();
        if (stays.isEmpty()) {
            return new No("no voter stays that this machine removes");
        }
        Duration left = WITHDRAW.minus(facts.memory().held(Rule.WITHDRAW));
        return left.isPositive()
                ? StoreRules.wait(
                        WaitCode.CHANGE,
                        "%s: the removal is withdrawn in %d s"
                                .formatted(stays.get(), left.toSeconds() + 1),
                        "")
                : new Applies(withdrawal(
                        facts,
                        open.get(),
                        ((EtcdView.Answers) facts.etcd()).health(),
                        stays.get()));
    }

    /**
     * Why a voter is not removed after all: it was down, and responds; or another one is down, for
     * which the removal would wait without end.
     */
    private static Optional<String> stays(AutoFacts facts, EtcdHealth health, Change change) {
        Optional<Member> leaving = change.removed().flatMap(health::find);
        Optional<Member> responds =
                leaving.filter(health::healthy).filter(_ -> !facts.charter().hasSurplus());
        return responds.map(voter -> "%s responds again".formatted(voter.describe()))
                .or(() -> leaving.flatMap(voter -> health.voters().stream()
                        .filter(other -> !other.equals(voter) && !health.healthy(other))
                        .findFirst()
                        .map(other -> "%s is down".formatted(other.describe()))));
    }

    private static Append withdrawal(
            AutoFacts facts, Charter.Open<Change> open, EtcdHealth health, String why) {
        return new Append(
                MemberRules.closing(facts, health, open),
                "%s: member %s stays".formatted(why, open.body().removed().orElseThrow()),
                "");
    }

    /** The step that carries an open removal out, or its end. */
    static Decision carryOut(
            AutoFacts facts, Charter.Open<Change> open, EtcdHealth health, String why) {
        MemberId removed = open.body().removed().orElseThrow();
        Optional<String> stays = stays(facts, health, open.body());
        if (stays.isPresent()) {
            return withdrawal(facts, open, health, stays.get());
        }
        boolean listed =
                health.members().stream().anyMatch(member -> member.id().equals(removed));
        return listed
                ? MemberRules.attempt(facts, new Remove(removed), why).decision()
                : new Append(
                        MemberRules.closing(facts, health, open),
                        "etcd does not list member " + removed,
                        "");
    }
}
