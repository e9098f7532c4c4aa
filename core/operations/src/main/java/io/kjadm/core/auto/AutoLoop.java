package io.kjadm.core.auto;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.auto.AutoDecider;
import io.kjadm.etcd.auto.AutoDecider.Outcome;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Failed;
import io.kjadm.etcd.auto.AutoFacts.Memory;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.Decision.Act;
import io.kjadm.etcd.auto.Decision.Append;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.Rule;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.store.StoreException;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The automatic mode of one machine: looks, decides, does one thing, and looks again. It keeps
 * nothing that it would miss after a kill: what it has begun is in the log, and in the journals of the
 * commands that it runs.
 */
public final class AutoLoop {

    private static final String AREA = "auto";

    /** While machines wait for each other. */
    private static final Duration SHORT = Duration.ofSeconds(2);
    /** A pause is seen within it. */
    private static final Duration LONG = Duration.ofSeconds(10);

    private static final Duration FIRST_RETRY = Duration.ofSeconds(10);
    private static final Duration LAST_RETRY = Duration.ofMinutes(10);
    /** While a command runs, so that other machines see that this one lives. */
    private static final Duration BEAT = Duration.ofSeconds(10);
    /** Members do not accept a certificate that is made by a time that is far from theirs. */
    private static final Duration CLOCK_LIMIT = Duration.ofMinutes(1);

    private final AutoLog log;
    private final OwnReport report;
    private final MachineReports reports;
    private final MachineView view;
    private final AutoSteps steps;
    private final Context context;

    private final Function<AutoFacts, Outcome> decider;
    private final Map<Rule, Instant> since = new EnumMap<>(Rule.class);
    private Optional<Failure> failure = Optional.empty();
    private Optional<Step> done = Optional.empty();
    private Optional<Saved> saved = Optional.empty();
    private boolean idle;
    private Optional<Seeing> pause = Optional.empty();
    private String told = "";
    private String announced = "";

    /**
     * What the loop runs in.
     *
     * @param background writes reports while a command runs
     * @param clock      of this machine, which is set at times; the waiter's only goes on from the
     *                   start of the program
     */
    public record Context(
            Waiter waiter, Scheduler background, Reporter out, Supplier<Instant> clock) {

        /** Where the clock is never set. */
        public Context(Waiter waiter, Scheduler background, Reporter out) {
            this(waiter, background, out, waiter::now);
        }
    }

    /**
     * One turn of the loop.
     *
     * @param facts   that were seen
     * @param outcome what was decided
     * @param problem why the decision could not be carried out; empty if it was
     * @param next    how long to wait before the next turn
     */
    public record Turn(
            AutoFacts facts, Outcome outcome, Optional<KjadmException> problem, Duration next) {

        private Turn then(Duration pause) {
            return new Turn(facts, outcome, problem, pause);
        }
    }

    private record Failure(Step step, String why, int times, Instant again) {}

    private record Seeing(long slot, Instant since) {}

    /** A snapshot of the cluster before a restore holds nothing of the one after it. */
    private record Saved(int generation, Instant at) {}

    /**
     * Of this machine.
     *
     * @param report writes what this machine says of itself
     * @param steps  runs the commands
     */
    public AutoLoop(
            AutoLog log,
            MachineReports reports,
            OwnReport report,
            MachineView view,
            AutoSteps steps,
            Context context) {
        this(log, reports, report, view, steps, context, new AutoDecider()::decide);
    }

    AutoLoop(
            AutoLog log,
            MachineReports reports,
            OwnReport report,
            MachineView view,
            AutoSteps steps,
            Context context,
            Function<AutoFacts, Outcome> decider) {
        this.log = log;
        this.reports = reports;
        this.report = report;
        this.view = view;
        this.steps = steps;
        this.context = context;
        this.decider = decider;
    }

    /**
     * Takes turns until the program is asked to stop, which interrupts a wait.
     *
     * @param after told of each turn
     * @return whether the program is to begin again, as the machine's clock was set: by its own clock
     *         it would make certificates that no member accepts
     */
    public boolean run(Consumer<Turn> after) {
        Turn turn;
        do {
            turn = turn();
            tellWait(turn.outcome());
            after.accept(turn);
        } while (goesOn(turn) && !clockWasSet());
        return !Thread.currentThread().isInterrupted();
    }

    private boolean clockWasSet() {
        Duration off = Duration.between(context.waiter().now(), context.clock().get());
        if (off.abs().compareTo(CLOCK_LIMIT) <= 0) {
            return false;
        }
        context.out()
                .step(
                        AREA,
                        "The clock of this machine was set by %d s, or the machine stood still: beginning again"
                                .formatted(off.toSeconds()));
        return true;
    }

    /** A program that is asked to stop while it waits has nothing to finish: that is no failure. */
    private boolean goesOn(Turn turn) {
        try {
            if (!turn.next().isZero()) {
                context.waiter().pause(AREA, turn.outcome().decision().why(), turn.next());
            }
        } catch (KjadmException e) {
            if (!Thread.currentThread().isInterrupted()) {
                throw e;
            }
        }
        return !Thread.currentThread().isInterrupted();
    }

    /** Looks and decides; changes nothing, not even this machine's report. */
    public Turn look() {
        return look(reports.read());
    }

    /** The same for a person's command that decides by how old reports are. */
    public Turn lookNow() {
        try {
            reports.learnTime();
        } catch (StoreException e) {
            // the log is read from the same store, and shows it
        }
        return look();
    }

    private Turn look(Map<MachineId, Seen> reported) {
        AutoFacts facts = facts(reported);
        return new Turn(facts, decider.apply(facts), Optional.empty(), Duration.ZERO);
    }

    /** Looks, decides, and does it. */
    public Turn turn() {
        Turn turn = recent();
        AutoFacts facts = turn.facts();
        Outcome outcome = turn.outcome();
        remember(outcome);
        view.seen(facts);
        if (mayReport(facts.store()) && facts.local().stops().copy().isEmpty()) {
            report.write(facts, outcome.decision(), view.floor());
        }
        return switch (outcome.decision()) {
            case Append(var body, String why, String command) -> {
                AutoLog.Appended appended = log.append(body, why, command);
                // where another machine was first, this one does nothing
                if (appended == AutoLog.Appended.WRITTEN) {
                    tell(outcome);
                }
                yield turn.then(appended == AutoLog.Appended.UNSETTLED ? SHORT : Duration.ZERO);
            }
            case Act(Step step, String _) -> {
                tell(outcome);
                yield act(turn, step);
            }
            case Wait(WaitCode code, String _, String _) -> turn.then(quick(code) ? SHORT : LONG);
            case Decision.Idle _ -> turn.then(LONG);
        };
    }

    /**
     * A log that was cut shows itself to new machines by what others report to have read. A report
     * that was refused is written as soon as it may be.
     */
    private boolean mayReport(StoreView store) {
        return store instanceof StoreView.Answers
                || store instanceof StoreView.Unsafe
                || store instanceof StoreView.Silent && report.trouble().isPresent();
    }

    /** Nothing is done by reports that were not read in this turn. */
    private Turn recent() {
        Turn turn = idle ? look(reports.readSeldom()) : look();
        if (idle && !isIdle(turn)) {
            turn = look();
        }
        idle = isIdle(turn);
        return turn;
    }

    private static boolean isIdle(Turn turn) {
        return turn.outcome().decision() instanceof Decision.Idle;
    }

    private static boolean quick(WaitCode code) {
        return switch (code) {
            case TURN, CHANGE, MACHINES, FOUNDER, HEALTHY, UNIT, QUORUM, LEARNER, LOST, FENCE ->
                true;
            default -> false;
        };
    }

    private Turn act(Turn turn, Step step) {
        Runnable quiet = context.background().repeat("auto-report", BEAT, () -> {
            report.again();
            return BEAT;
        });
        try {
            report.begins(step, turn.facts().charter());
            if (step instanceof Step.Init || step instanceof Step.Join) {
                view.begins(turn.facts().charter());
            }
            steps.run(step);
            report.ended(step, turn.facts().charter());
            // a machine that was cleared is where it was before the command that failed
            boolean cleared = step instanceof Step.Reset || step instanceof Step.Fence;
            failure = failure.filter(last -> cleared && !last.step().equals(step));
            if (step instanceof Step.Save) {
                saved = Optional.of(new Saved(
                        turn.facts().charter().generation(), context.waiter().now()));
            }
            // a command that succeeds and changes nothing is not run without a pause
            boolean again = done.equals(Optional.of(step));
            done = Optional.of(step);
            return turn.then(again ? SHORT : Duration.ZERO);
        } catch (KjadmException e) {
            failure = Optional.of(failed(step, e));
            context.out()
                    .warn("'%s' failed: %s"
                            .formatted(step.command(), e.problem().facts()));
            return new Turn(turn.facts(), turn.outcome(), Optional.of(e), SHORT);
        } finally {
            quiet.run();
        }
    }

    private Failure failed(Step step, KjadmException e) {
        int times = failure.filter(last -> last.step().getClass().equals(step.getClass()))
                        .map(Failure::times)
                        .orElse(0)
                + 1;
        Duration wait = FIRST_RETRY.multipliedBy(1L << Math.min(times - 1, 6));
        return new Failure(
                step,
                e.problem().facts(),
                times,
                context.waiter().now().plus(wait.compareTo(LAST_RETRY) < 0 ? wait : LAST_RETRY));
    }

    private AutoFacts facts(Map<MachineId, Seen> reported) {
        // what others have read by then must be in the log that is read after it
        StoreView store = answering(log.refresh());
        Charter charter = log.charter();
        Self self = view.self(charter);
        return new AutoFacts(
                self,
                store,
                charter,
                reported,
                view.local(charter, reports.report(self.id())),
                charter.phase() == Phase.NONE
                        ? new AutoFacts.EtcdView.Silent("there is no cluster")
                        : view.etcd(charter),
                memory(charter));
    }

    /**
     * Nothing is decided by a store that shows its log, and not what the machines report; nor by one
     * that does not take this machine's report: others take it for dead, and by the time of its last
     * report all others are new.
     */
    private StoreView answering(StoreView store) {
        return store instanceof StoreView.Answers
                ? reports.trouble()
                        .map("the reports of the machines cannot be read: "::concat)
                        .or(() -> report.trouble()
                                .map("the report of this machine cannot be written: "::concat))
                        .<StoreView>map(StoreView.Silent::new)
                        .orElse(store)
                : store;
    }

    private Memory memory(Charter charter) {
        Instant now = context.waiter().now();
        Map<Rule, Duration> held = new EnumMap<>(Rule.class);
        since.forEach((rule, begun) -> held.put(rule, Duration.between(begun, now)));
        Optional<Long> paused = charter.pause().map(Open::slot);
        if (!pause.map(Seeing::slot).equals(paused)) {
            pause = paused.map(slot -> new Seeing(slot, now));
        }
        return new Memory(
                held,
                failure.map(last -> new Failed(
                        last.step(),
                        last.why(),
                        last.times(),
                        Duration.between(now, last.again()))),
                pause.map(seeing -> Duration.between(seeing.since(), now)).orElse(Duration.ZERO),
                saved.filter(each -> each.generation() == charter.generation())
                        .map(each -> Duration.between(each.at(), now))
                        .filter(age -> !age.isNegative()),
                now);
    }

    private void remember(Outcome outcome) {
        Instant now = context.waiter().now();
        var holding = outcome.holding();
        since.keySet().retainAll(holding);
        holding.forEach(rule -> since.putIfAbsent(rule, now));
    }

    /** What is done is shown; a command that was announced is not shown again. */
    private void tell(Outcome outcome) {
        told = outcome.rule().name();
        List<String> lines = lines(outcome);
        lines.stream()
                .filter(line -> !line.equals(announced))
                .forEach(line -> context.out().step(AREA, line));
        announced = outcome.decision() instanceof Append ? lines.getLast() : "";
    }

    /** What it waits for is shown once, and again when something else came between. */
    private void tellWait(Outcome outcome) {
        String code = switch (outcome.decision()) {
            case Wait(WaitCode waits, String _, String next) -> waits.text() + next;
            case Decision.Idle _ -> outcome.rule().name();
            case Act _, Append _ -> told;
        };
        if (!told.equals(code)) {
            told = code;
            lines(outcome).forEach(line -> context.out().step(AREA, line));
        }
    }

    /** A decision in words, and the command that an operator would run to do the same. */
    public static List<String> lines(Outcome outcome) {
        return switch (outcome.decision()) {
            case Wait(WaitCode code, String why, String next) ->
                next.isEmpty()
                        ? List.of("%s: %s".formatted(code.text(), why))
                        : List.of("%s: %s".formatted(code.text(), why), "Next: " + next);
            case Append(var _, String why, String command) ->
                withCommand("%s: %s".formatted(outcome.rule(), why), command);
            case Act(Step step, String why) ->
                withCommand("%s: %s".formatted(outcome.rule(), why), step.command());
            case Decision.Idle(String why) -> List.of("IDLE: " + why);
        };
    }

    private static List<String> withCommand(String line, String command) {
        return command.isEmpty() ? List.of(line) : List.of(line, "$ " + command);
    }
}
