package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.Decision.Idle;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.RuleF.Voter;
import io.kjadm.etcd.auto.Step.Fence;
import io.kjadm.etcd.auto.Step.Init;
import io.kjadm.etcd.auto.Step.Own;
import io.kjadm.etcd.auto.Step.Unfence;
import io.kjadm.etcd.auto.Verdict.Applies;
import io.kjadm.etcd.auto.Verdict.Later;
import io.kjadm.etcd.auto.Verdict.No;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** How a generation ends whose quorum is lost for good, and the next one begins with its data. */
final class RestoreRules {

    static final String APPROVE = "kjadm etcd auto approve restore";

    /** Machines reboot, and networks come back. */
    static final Duration NO_QUORUM = Duration.ofMinutes(10);

    private static final Duration RESTORE_RANK = Duration.ofSeconds(5);

    /** By how much the revision rises for each generation that has ended: kjadm's default for one. */
    private static final long RESTORE_REVISIONS = 1_000_000_000;

    private RestoreRules() {}

    static Verdict retired(AutoFacts facts) {
        if (facts.charter().phase() != Phase.RETIRED) {
            return new No("the automatic mode has not ended");
        }
        return new Applies(StartRules.over(facts.charter(), facts.local().data())
                .<Decision>map(it -> it)
                .orElse(new Idle("the automatic mode has ended; etcd is run by hand")));
    }

    static Verdict fence(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.pause().isPresent()) {
            return new No("the automatic mode is paused");
        }
        int current = charter.current().map(Beginning::generation).orElse(0);
        boolean ending = charter.phase() == Phase.ENDING;
        Optional<Fenced> fenced = facts.local().fenced().filter(it -> it.generation() == current);
        if (facts.local().data() instanceof Data.Held(int generation, var _)
                && generation > 0
                && generation != current) {
            return step(
                    facts,
                    new Fence(generation, Optional.empty()),
                    "generation %d, of which this machine has a member, is over; its data are moved aside"
                            .formatted(generation));
        }
        Optional<Integer> before = over(facts);
        if (before.isPresent() && facts.local().data() instanceof Data.Lost(String why)) {
            return step(
                    facts,
                    new Fence(before.get(), Optional.empty()),
                    why + "; generation %d is over".formatted(before.get()));
        }
        if (ending) {
            return ending(facts, charter.ending().orElseThrow(), fenced);
        }
        boolean back = charter.phase() == Phase.OPEN
                && fenced.isPresent()
                && charter.seat(facts.self().id()).isPresent();
        // a copy of a machine would run its member beside it
        Optional<Seat> elsewhere = StartRules.moved(facts);
        if (back && elsewhere.isPresent()) {
            return StartRules.elsewhere(facts, elsewhere.get());
        }
        return back
                ? step(
                        facts,
                        new Unfence(current),
                        "generation %d does not end; this machine's data are put back"
                                .formatted(current))
                : new No("this machine has no member of a generation that is over");
    }

    /** The generation before, if this machine can have no member of a later one. */
    private static Optional<Integer> over(AutoFacts facts) {
        Charter charter = facts.charter();
        MachineId self = facts.self().id();
        boolean joins = charter.change()
                .filter(change -> change.body().actor().equals(self))
                .isPresent();
        return switch (charter.phase()) {
            case NONE -> Optional.of(charter.generation());
            case FORMING ->
                Optional.of(charter.generation() - 1)
                        .filter(it -> it > 0 && !joins && charter.seat(self).isEmpty());
            // those of the generation that ends are moved aside already, or were never here
            case ENDING ->
                charter.ending()
                        .filter(ending -> ending.began().generation() < charter.generation()
                                && (!ending.has(self) || ending.fenced().containsKey(self)))
                        .map(_ -> charter.generation());
            default -> Optional.empty();
        };
    }

    private static Verdict ending(AutoFacts facts, Ending ending, Optional<Fenced> fenced) {
        int generation = ending.began().generation();
        if (!ending.has(facts.self().id())) {
            return new No("this machine has no member of generation %d".formatted(generation));
        }
        if (ending.fenced().containsKey(facts.self().id())) {
            return new No("this machine's member is stopped for good");
        }
        Optional<Seat> seat = facts.charter().seat(facts.self().id());
        URI here = facts.self().peerUrl();
        Optional<Seat> elsewhere = seat.filter(it -> !it.peerUrls().contains(here));
        if (elsewhere.isPresent()) {
            // the machine that this one was copied from may run the member
            return StoreRules.wait(
                    WaitCode.FENCE,
                    "member %s is to be at %s, and this machine is at %s: it cannot tell that the member is stopped"
                            .formatted(elsewhere.get().name(), elsewhere.get().peerUrls(), here),
                    "if this machine is a copy, start the other one; or name the member as lost: '%s --lost ID'"
                            .formatted(APPROVE));
        }
        Step fence = new Fence(generation, seat.map(Seat::id));
        if (fenced.isEmpty() || !FormRules.blank(facts)) {
            return step(
                    facts,
                    fence,
                    "an operator has ended generation %d; this machine's data are moved aside"
                            .formatted(generation));
        }
        return new Applies(new Append(
                fenced.get(),
                "member %s is stopped for good; its data are in %s"
                        .formatted(
                                fenced.get().member(),
                                fenced.get().data().isEmpty()
                                        ? "no place: there were none"
                                        : fenced.get().data()),
                fence.command()));
    }

    private static Verdict step(AutoFacts facts, Step step, String why) {
        return facts.local().stops().busy().isPresent()
                ? StoreRules.busy(facts)
                : MemberRules.attempt(facts, step, why);
    }

    static Verdict restore(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.phase() != Phase.ENDING) {
            return new No("no generation ends");
        }
        if (charter.pause().isPresent()) {
            return new No("the automatic mode is paused");
        }
        Ending ending = charter.ending().orElseThrow();
        Optional<String> objection = ending.objection(facts.self().id());
        if (objection.isPresent()) {
            return new No(objection.get());
        }
        if (!FormRules.blank(facts) || !facts.local().readiness().ok()) {
            return new No("this machine is not ready to found a cluster: "
                    + String.join(", ", facts.local().readiness().missing()));
        }
        Optional<Verdict> failed = MemberRules.holdsOff(facts, Init.class);
        if (failed.isPresent()) {
            return failed.get();
        }
        Optional<List<String>> data = data(facts);
        if (data.isEmpty()) {
            return new No("the data that were moved aside are not on this machine");
        }
        Form form = FormRules.founding(facts);
        List<MachineId> ready = FormRules.readyMachines(facts);
        int place = ending.order().founder().isPresent()
                ? 0
                : Math.max(0, ready.indexOf(facts.self().id()));
        return new Later(
                RESTORE_RANK.multipliedBy(place),
                new Append(
                        form,
                        "members of generation %d can have no quorum any more"
                                .formatted(ending.began().generation()),
                        new Init(facts.self().member(), form.token(), data.get()).command()));
    }

    /** Flags that name the data that the next generation begins with; empty if they are not here. */
    static Optional<List<String>> data(AutoFacts facts) {
        Optional<Ending> ending = facts.charter().ending();
        if (ending.isEmpty()) {
            return Optional.of(List.of());
        }
        int ended = ending.get().began().generation();
        Optional<Snapshot> snapshot = ending.get().order().source().snapshot();
        return snapshot.isPresent()
                ? snapshot.map(it -> flags(it, ended, facts.self()))
                : facts.local()
                        .fenced()
                        .filter(it -> it.generation() == ended)
                        .filter(it -> !it.data().isEmpty())
                        .map(it -> List.of(
                                "--from-snapshot=%s/snap/db".formatted(it.data()),
                                "--skip-hash-check"));
    }

    /**
     * What machines have saved is read with their key, unless the daemon was given another one. Each
     * generation that ends may have begun with a snapshot too, which was newer than this one: its
     * clients have seen revisions that are as much higher.
     */
    private static List<String> flags(Snapshot snapshot, int ended, AutoFacts.Self self) {
        List<String> flags = new ArrayList<>(List.of(
                "--from-snapshot=" + snapshot.name(),
                "--store=" + snapshot.store(),
                "--cluster-id=" + snapshot.cluster()));
        if (ended > 1) {
            flags.add("--bump-revision=" + ended * RESTORE_REVISIONS);
        }
        boolean own = snapshot.recipients().contains(self.backup().save().recipient());
        if (own && self.member().flags().stream().noneMatch(it -> it.startsWith(Own.IDENTITY))) {
            flags.add(Own.IDENTITY + self.backup().identity());
        }
        return List.copyOf(flags);
    }

    static Verdict fencing(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.phase() != Phase.ENDING) {
            return new No("no generation ends");
        }
        if (charter.pause().isPresent()) {
            return new No("the automatic mode is paused");
        }
        Ending ending = charter.ending().orElseThrow();
        Set<Voter> missing = ending.rule().missing(ending::out);
        if (!missing.isEmpty()) {
            return StoreRules.wait(
                    WaitCode.FENCE,
                    "generation %d ends when enough of these members are stopped: %s"
                            .formatted(
                                    ending.began().generation(),
                                    missing.stream()
                                            .map(voter -> text(facts, ending, voter))
                                            .sorted()
                                            .collect(Collectors.joining("; "))),
                    "start the machines, or name the members that are lost: '%s --lost ID'"
                            .formatted(APPROVE));
        }
        Optional<MachineId> founder = ending.order().founder();
        Optional<String> objection =
                founder.isPresent() ? ending.objection(founder.get()) : Optional.empty();
        return StoreRules.wait(
                WaitCode.RESTORE,
                founder.map(machine -> "machine %s founds generation %d%s"
                                .formatted(
                                        machine,
                                        charter.generation() + 1,
                                        objection.map(": "::concat).orElse("")))
                        .orElse("a machine that is ready founds generation %d"
                                .formatted(charter.generation() + 1)),
                objection.isPresent() ? "name another source: '%s'".formatted(APPROVE) : "");
    }

    private static String text(AutoFacts facts, Ending ending, Voter voter) {
        String name = voter.member()
                .flatMap(id -> ending.members().voters().stream()
                        .filter(seat -> seat.id().equals(id))
                        .findFirst())
                .map(seat -> "%s (%s)".formatted(seat.name(), seat.id()))
                .or(() -> voter.member().map(MemberId::toString))
                .orElse("the member that was being added");
        return name
                + voter.machine()
                        .map(machine -> ", machine %s, %s".formatted(machine, age(facts, machine)))
                        .orElse("");
    }

    private static String age(AutoFacts facts, MachineId machine) {
        return Optional.ofNullable(facts.machines().get(machine))
                .map(seen -> "reported %d s ago".formatted(seen.age().toSeconds()))
                .orElse("without a report");
    }

    /** After some time a person may say that it is lost for good. */
    static Verdict noQuorum(AutoFacts facts, String why, String next) {
        boolean lasts = facts.charter().phase() == Phase.OPEN
                && facts.memory().held(Rule.MEMBERS).compareTo(NO_QUORUM) >= 0;
        return lasts
                ? StoreRules.wait(
                        WaitCode.RESTORE,
                        "%s; %s"
                                .formatted(
                                        why,
                                        facts.charter().voters().stream()
                                                .map(seat -> evidence(facts, seat))
                                                .collect(Collectors.joining("; "))),
                        "%s; if machines are lost for good: '%s'".formatted(next, command(facts)))
                : StoreRules.wait(WaitCode.QUORUM, why, next);
    }

    private static String evidence(AutoFacts facts, Seat seat) {
        return "%s (%s) %s"
                .formatted(
                        seat.name(),
                        seat.id(),
                        seat.machine()
                                .map(machine -> age(facts, machine))
                                .orElse("has no machine that reports"));
    }

    /** With the machine that has seen most as survivor, and all that do not report as lost. */
    private static String command(AutoFacts facts) {
        Comparator<Seen> most = Comparator.comparingLong(
                seen -> seen.report().sight().map(MachineReport.Sight::index).orElse(0L));
        Optional<MachineId> survivor = facts.charter().voters().stream()
                .flatMap(seat -> seat.machine().stream())
                .filter(machine -> reports(facts, machine))
                .map(facts.machines()::get)
                .max(most)
                .map(seen -> seen.report().id());
        String lost = facts.charter().voters().stream()
                .filter(seat -> !seat.machine().filter(it -> reports(facts, it)).isPresent())
                .map(seat -> seat.id().toString())
                .collect(Collectors.joining(","));
        return "%s %s --lost %s --operator-key FILE"
                .formatted(
                        APPROVE,
                        survivor.map("--survivor %s"::formatted).orElse("--snapshot latest"),
                        lost.isEmpty() ? "ID" : lost);
    }

    private static boolean reports(AutoFacts facts, MachineId machine) {
        return Optional.ofNullable(facts.machines().get(machine))
                .filter(seen -> seen.still().compareTo(NO_QUORUM) < 0)
                .isPresent();
    }
}
