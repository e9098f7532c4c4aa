package io.kjadm.cli.kube;

import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.Failure;
import io.kjadm.cli.output.ObjectWriter;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.FileChanges;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.timing.TimedPhase;
import io.kjadm.core.timing.Timings;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a run of a workflow leaves for programs when it has ended, also when it failed: the object of
 * {@code -o} and the file of {@code --timings}. With {@code -o} that object is all there is on
 * standard output; what people read goes to standard error.
 */
public final class RunOutput {

    private final String command;
    private final Console results;
    private final Console console;
    private final Reporter out;
    private final Optional<ObjectWriter> writer;
    private final Optional<TimingsOutput> times;
    private final Instant began;
    private final long start;
    private final Timings timings;
    private final FileChanges changes = new FileChanges();
    private boolean dryRun;
    private RunSubject subject = RunSubject.UNKNOWN;

    /**
     * What the flags ask for.
     *
     * @param command without the program
     * @throws UsageException if there is no such format, or no file can be written there
     */
    RunOutput(
            String command,
            CommandFlags flags,
            Console console,
            Function<Console, Reporter> reporters) {
        this.command = command;
        this.writer = OutputFlags.writer(flags);
        this.times = TimingsOutput.of(flags);
        this.results = console;
        this.console = writer.isPresent() ? console.withoutResults() : console;
        this.out = reporters.apply(this.console);
        this.dryRun = flags.isOn(Flag.DRY_RUN);
        boolean wanted = writer.isPresent() || times.isPresent();
        // read only on demand: the management classes take their time to load
        Duration age = wanted
                ? Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime())
                : Duration.ZERO;
        this.began = Instant.now().minus(age);
        this.start = System.nanoTime() - age.toNanos();
        this.timings = wanted ? Timings.begun(System::nanoTime, age) : Timings.none();
    }

    /** Tells the operator what happens. */
    Reporter out() {
        return out;
    }

    /** Where the operator is asked. */
    Console console() {
        return console;
    }

    Timings timings() {
        return timings;
    }

    /** The same ports; what is changed through them is noted if that is wanted. */
    Ports noted(Ports ports) {
        return writer.isPresent() ? ports.withFiles(changes.noting(ports.files())) : ports;
    }

    /** Whether the run changes nothing; a configuration file may say it, too. */
    void dryRun(boolean is) {
        dryRun = is;
    }

    /** Runs a workflow, notes its phases, and knows what it is about after each of them. */
    <R> Workflow<R> following(Workflow<R> workflow, Function<R, RunSubject> about) {
        return TimedPhase.all(workflow, timings, run -> subject = about.apply(run));
    }

    /** What is known before the first phase. */
    void about(RunSubject known) {
        subject = known;
    }

    /** Does the work, and then writes what was asked for; a failure is passed on. */
    void around(Runnable work) {
        try {
            work.run();
        } catch (Throwable failure) {
            try {
                end(Optional.of(failure));
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
            }
            throw failure;
        }
        end(Optional.empty());
    }

    private void end(Optional<Throwable> failure) {
        if (writer.isEmpty() && times.isEmpty()) {
            return;
        }
        RunSummary run = new RunSummary(
                command,
                began,
                // the clock of the machine may be set while a node joins
                Duration.ofNanos(System.nanoTime() - start),
                timings.spans(),
                changes.list(),
                failure.map(Failure::of));
        times.ifPresent(file -> write(file, run));
        console.live().end();
        writer.ifPresent(format -> results.print(
                format.write(List.of(new RunListing(run, dryRun, subject).object()))));
    }

    private void write(TimingsOutput file, RunSummary run) {
        try {
            file.write(run);
        } catch (IOException e) {
            out.warn("the timings of this run could not be written: " + e.getMessage());
        }
    }
}
