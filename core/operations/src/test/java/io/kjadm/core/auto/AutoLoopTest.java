package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoDecider;
import io.kjadm.etcd.auto.AutoDecider.Outcome;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Provided;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.Stops;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Rule;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.store.StoreUrl;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The turns of a daemon, and how it ends. */
class AutoLoopTest {

    private final LogLab lab = new LogLab();
    private final MemoryFiles files = new MemoryFiles();
    private final AutoLog log = lab.machine(files);
    private final AutoMemory memory = AutoMemory.of(files, LogLab.STATE);

    private Data data = new Data.Blank();
    private UnitState unit = UnitState.ABSENT;
    private Stops stops = Stops.none();
    private int seen;

    /** A machine that is not ready, and blank at first. */
    private final class Blank implements MachineView {

        @Override
        public Self self(Charter charter) {
            return new Self(
                    memory.id(),
                    new Step.Own("etcd1", "10.0.0.11", charter.seed().spec().version(), List.of()),
                    URI.create("https://10.0.0.11:2380"),
                    URI.create("https://10.0.0.11:2379"),
                    new AutoFacts.Backup(new Step.Save("/backups", "age1"), "/backup.identity"));
        }

        @Override
        public Local local(Charter charter, Optional<MachineReport> reported) {
            return new Local(
                    data,
                    unit,
                    SetUp.NONE,
                    new Readiness(List.of("systemd does not run")),
                    new Provided(false, false, Optional.empty()),
                    Optional.empty(),
                    stops);
        }

        @Override
        public void seen(AutoFacts facts) {
            seen++;
        }

        @Override
        public EtcdView etcd(Charter charter) {
            return new EtcdView.Silent("");
        }
    }

    private AutoLoop loop(Waiter waiter) {
        return loop(waiter, new AutoDecider()::decide, _ -> {
            throw new AssertionError("nothing is to be done");
        });
    }

    private AutoLoop loop(Waiter waiter, Function<AutoFacts, Outcome> decider, AutoSteps steps) {
        return loop(waiter, decider, steps, new SilentReporter());
    }

    private AutoLoop loop(
            Waiter waiter, Function<AutoFacts, Outcome> decider, AutoSteps steps, Reporter out) {
        return new AutoLoop(
                log,
                log.reports(),
                new OwnReport(log.reports(), memory, new OwnReport.Names("etcd1", "kjadm"), waiter),
                new Blank(),
                steps,
                new AutoLoop.Context(waiter, Scheduler.NEVER, out),
                decider);
    }

    private static Outcome outcome(Decision decision) {
        return new Outcome(Rule.IDLE, decision, List.of());
    }

    /** Requests cost money: by AWS's list prices some of them ten times as much as others. */
    @Test
    void anIdleMachineSeldomAsksForReports() {
        AutoLoop loop = loop(lab.waiter, _ -> outcome(new Decision.Idle("")), _ -> {});
        pass(loop, Duration.ofMinutes(10));
        lab.store.lists = 0;
        lab.store.reads = 0;
        pass(loop, Duration.ofHours(1));
        assertTrue(lab.store.lists <= 7, lab.store.lists + " lists");
        // in each turn the next slot of the log, and its own report before it is written again,
        // which
        // it is each minute in a cluster that is formed; each minute all reports
        assertTrue(lab.store.reads <= 360 + 360 + 62, lab.store.reads + " reads");
    }

    private void pass(AutoLoop loop, Duration time) {
        Instant end = lab.waiter.now().plus(time);
        while (lab.waiter.now().isBefore(end)) {
            lab.waiter.pause("", "", loop.turn().next());
        }
    }

    @Test
    void nothingIsDoneByReportsThatWereReadBefore() {
        MachineId other = new MachineId("m-0000000000000002");
        log.reports().write(LogLab.report(other, 1, 1, new Known(0, "e02b")));
        List<Long> seen = new ArrayList<>();
        AutoLoop loop = loop(
                lab.waiter,
                facts -> {
                    long beat = facts.machines().get(other).report().life().beat();
                    seen.add(beat);
                    return outcome(
                            seen.size() == 1
                                    ? new Decision.Idle("")
                                    : new Decision.Act(new Step.Clients(List.of()), ""));
                },
                _ -> seen.add(0L));
        loop.turn();
        // of another machine
        lab.machine(new MemoryFiles())
                .reports()
                .write(LogLab.report(other, 2, 2, new Known(0, "e02b")));
        loop.turn();
        assertEquals(List.of(1L, 1L, 2L, 0L), seen);
    }

    /** A lossy store: whether another machine has this one's ID, say, is not known. */
    @Test
    void nothingIsDoneWithoutTheReportsOfOthers() {
        lab.store.silences.add(true);
        AutoLoop.Turn turn = loop(lab.waiter).look();
        assertEquals(Rule.STORE, turn.outcome().rule());
        assertEquals(Rule.MACHINES, loop(lab.waiter).look().outcome().rule());
    }

    /** Others take it for dead, and by its clock all reports are new. */
    @Test
    void aMachineThatCannotReportDecidesNothing() {
        AutoLoop loop = loop(lab.waiter);
        loop.turn();
        assertEquals(Rule.MACHINES, loop.turn().outcome().rule());
        lab.store.readOnly = true;
        pass(loop, Duration.ofSeconds(15));
        AutoLoop.Turn turn = loop.turn();
        assertEquals(Rule.STORE, turn.outcome().rule());
        assertEquals(
                "the store is not available: the report of this machine cannot be written:"
                        + " cannot replace v1/auto/machines/%s.json: permission denied"
                                .formatted(memory.id()),
                turn.outcome().decision().why());
        lab.store.readOnly = false;
        loop.turn();
        assertEquals(Rule.MACHINES, loop.turn().outcome().rule());
    }

    /** Another folder is mounted where the store was. */
    @Test
    void aReportThatWasRefusedIsNotWrittenIntoAnotherClustersStore() {
        AutoLoop loop = loop(lab.waiter);
        loop.turn();
        lab.store.readOnly = true;
        pass(loop, Duration.ofSeconds(15));
        assertEquals(Rule.STORE, loop.turn().outcome().rule());
        lab.store.readOnly = false;
        lab.store.real.objects.clear();
        lab.store.real.objects.put(AutoObjects.CLUSTER, "of another token".getBytes(UTF_8));
        lab.store.real.location = StoreUrl.parse("/srv/other");
        assertEquals(Rule.SEED, loop.turn().outcome().rule());
        loop.turn();
        assertEquals(Set.of(AutoObjects.CLUSTER), lab.store.real.objects.keySet());
    }

    /** Otherwise a machine that is put back once more does not find out that it was. */
    @Test
    void aReportOfLostDataTellsWhoseTheyWere() {
        log.refresh();
        EntryBody.Form form = LogLab.form(memory.id());
        assertEquals(AutoLog.Appended.WRITTEN, log.append(form, "", ""));
        List<Data> kinds = List.of(
                new Data.Lost("the data are older than they were"),
                new Data.OtherDisk("not mounted", "mount it"),
                new Data.Unreadable("cannot be read"));
        for (Data kind : kinds) {
            data = kind;
            loop(lab.waiter, _ -> outcome(new Decision.Idle("")), _ -> {}).turn();
            assertEquals(
                    Optional.of(form.seat().id()),
                    log.reports().read().get(memory.id()).report().member().id(),
                    kind::toString);
        }
    }

    /** Of a kjadm that does not know that state it would read no report at all. */
    @Test
    void anEtcdThatSystemdStartsAgainIsReportedAsFailed() {
        unit = UnitState.RESTARTING;
        loop(lab.waiter, _ -> outcome(new Decision.Idle("")), _ -> {}).turn();
        assertEquals(
                UnitState.FAILED,
                log.reports().read().get(memory.id()).report().member().unit());
    }

    /** It was put back to its join, and somebody has deleted the entry that says that it votes. */
    @Test
    void aReportOfLostDataKeepsWhoseTheyWereWhereTheLogDoesNotTell() {
        log.refresh();
        Optional<MemberId> member = Optional.of(new MemberId(0x77));
        List<Data> kinds = List.of(
                new Data.Held(1, member),
                new Data.Lost("the data are older than they were"),
                new Data.OtherDisk("not mounted", "mount it"));
        for (Data kind : kinds) {
            data = kind;
            loop(lab.waiter, _ -> outcome(new Decision.Idle("")), _ -> {}).turn();
            assertEquals(
                    member,
                    log.reports().read().get(memory.id()).report().member().id(),
                    kind::toString);
        }
        data = new Data.Blank();
        loop(lab.waiter, _ -> outcome(new Decision.Idle("")), _ -> {}).turn();
        assertEquals(
                Optional.empty(),
                log.reports().read().get(memory.id()).report().member().id(),
                "it was cleared");
    }

    /** After a restore, the one before it holds nothing that clients wrote since. */
    @Test
    void aSnapshotCountsForTheGenerationThatItIsOf() {
        List<Boolean> saved = new ArrayList<>();
        AutoLoop loop = loop(
                lab.waiter,
                facts -> {
                    saved.add(facts.memory().saved().isPresent());
                    return outcome(
                            saved.size() == 1
                                    ? new Decision.Act(facts.self().backup().save(), "")
                                    : new Decision.Idle(""));
                },
                _ -> {});
        loop.turn();
        loop.turn();
        assertEquals(AutoLog.Appended.WRITTEN, log.append(LogLab.form(memory.id()), "", ""));
        loop.turn();
        assertEquals(List.of(false, true, false), saved);
    }

    /** The command that failed would be tried again without a pause. */
    @Test
    void aMachineThatWasClearedRemembersWhatFailed() {
        Step join = new Step.Join(new Blank().self(log.charter()).member(), List.of());
        Step reset = new Step.Reset(List.of());
        List<Step> steps = List.of(join, reset, join, reset, new Step.Start(), reset);
        List<Optional<Integer>> times = new ArrayList<>();
        AutoLoop loop = loop(
                lab.waiter,
                facts -> {
                    times.add(facts.memory().failed().map(AutoFacts.Failed::times));
                    return outcome(new Decision.Act(steps.get(times.size() - 1), ""));
                },
                step -> {
                    if (step.equals(join)) {
                        throw new HostException("no archive", "", "");
                    }
                });
        steps.forEach(_ -> loop.turn());
        assertEquals(
                List.of(
                        Optional.empty(),
                        Optional.of(1),
                        Optional.of(1),
                        Optional.of(2),
                        Optional.of(2),
                        Optional.empty()),
                times);
    }

    /** How far its data were it must know in the next boot, too, but it must not report. */
    @Test
    void aMachineThatMayBeACopyRemembersWhatTheStoreTells() {
        stops = new Stops(
                Optional.empty(),
                Optional.of(new AutoFacts.Copy(false, "it has booted")),
                Optional.empty());
        loop(lab.waiter, _ -> outcome(new Decision.Idle("")), _ -> {}).turn();
        assertEquals(1, seen);
        assertEquals(Map.of(), log.reports().read());
    }

    /** Two machines announce the same; the second one's command would never be run. */
    @Test
    void whatAnotherMachineWasFirstToAnnounceIsNotShown() {
        RecordingReporter out = new RecordingReporter();
        AutoMemory second = AutoMemory.of(new MemoryFiles(), LogLab.STATE);
        second.start(lab.random);
        AutoLog other = AutoLog.open(lab.store, lab.token, second, lab.waiter, lab.random);
        AutoLoop loop = loop(
                lab.waiter,
                _ -> {
                    other.refresh();
                    other.append(LogLab.form(second.id()), "", "");
                    return outcome(new Decision.Append(
                            LogLab.form(memory.id()), "2 machines are ready", "kjadm etcd init"));
                },
                _ -> {},
                out);
        loop.turn();
        assertEquals(List.of(), out.lines());
    }

    @Test
    void whatIsAnnouncedIsShown() {
        RecordingReporter out = new RecordingReporter();
        AutoLoop loop = loop(
                lab.waiter,
                _ -> outcome(new Decision.Append(
                        LogLab.form(memory.id()), "2 machines are ready", "kjadm etcd init")),
                _ -> {},
                out);
        loop.turn();
        assertEquals(
                List.of("[auto] IDLE: 2 machines are ready", "[auto] $ kjadm etcd init"),
                out.lines());
    }

    @Test
    void aCommandThatChangesNothingIsNotRepeatedAtOnce() {
        Decision again = new Decision.Act(new Step.Clients(List.of()), "");
        AutoLoop loop = loop(lab.waiter, _ -> outcome(again), _ -> {});
        assertEquals(Duration.ZERO, loop.turn().next());
        assertEquals(false, loop.turn().next().isZero());
    }

    /** systemd stops it: there is nothing that an operator could do next. */
    @Test
    void aDaemonThatIsAskedToStopWhileItWaitsEndsWithoutAnError() {
        int[] turns = new int[1];
        loop(new SystemWaiter(InstantSource.system(), new SilentReporter())).run(_ -> {
            turns[0]++;
            Thread.currentThread().interrupt();
        });
        assertEquals(1, turns[0]);
        assertTrue(Thread.interrupted(), "the rest of the program is to end as well");
    }

    /** A machine without a battery boots with the time of its last end; a paused one stands still. */
    @Test
    void aLoopWhoseClockIsNotTheMachinesAnyMoreIsBegunAgain() {
        Duration[] set = {Duration.ofSeconds(59)};
        AutoLoop loop = new AutoLoop(
                log,
                log.reports(),
                new OwnReport(
                        log.reports(), memory, new OwnReport.Names("etcd1", "kjadm"), lab.waiter),
                new Blank(),
                _ -> {},
                new AutoLoop.Context(
                        lab.waiter,
                        Scheduler.NEVER,
                        new SilentReporter(),
                        () -> lab.waiter.now().plus(set[0])));
        List<AutoLoop.Turn> turns = new ArrayList<>();
        assertTrue(loop.run(turn -> {
            turns.add(turn);
            set[0] = turns.size() == 3 ? Duration.ofHours(-2) : set[0];
        }));
        assertEquals(3, turns.size());
    }
}
