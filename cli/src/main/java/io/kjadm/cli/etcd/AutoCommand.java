package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.listing.AutoListing;
import io.kjadm.core.auto.AutoLog;
import io.kjadm.core.auto.AutoLoop;
import io.kjadm.core.auto.AutoLoop.Turn;
import io.kjadm.core.auto.AutoMetrics;
import io.kjadm.core.auto.LocalPause;
import io.kjadm.core.auto.OperatorEntry;
import io.kjadm.core.auto.ReadableLog;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.WaitCode;

import picocli.CommandLine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** {@code kjadm etcd auto}: machines form a cluster by themselves, and show what they wait for. */
record AutoCommand(Console console, Function<Console, Reporter> reporters) {

    /** Those of {@code etcd init} and {@code join} that the daemon passes on. */
    static final List<FlagOption> PASSED = FlagOption.all(
            Flag.ALLOW_INSECURE_RELEASE_SERVER,
            Flag.DATA_DIR,
            Flag.ETCD_TARBALL,
            Flag.IDENTITY_FILE,
            Flag.IGNORE_PREFLIGHT_ERRORS,
            Flag.INSTALL_DIR,
            Flag.RELEASE_URL);

    private static final Duration POLL = Duration.ofSeconds(2);

    static final String STORE =
            "The store of 'kjadm etcd seed'. If not set, the one of this machine's daemon";

    CommandLine build() {
        return CommandBuilder.running(
                        "auto",
                        "Form an etcd cluster with the other machines of a store, and join it",
                        (flags, words) -> run(flags, words))
                .flags(FlagOption.explained(
                        FlagOption.all(
                                PASSED,
                                Flag.BIND_ADDRESS,
                                Flag.DRY_RUN,
                                Flag.METRICS_FILE,
                                Flag.ONCE,
                                Flag.SYSTEMD,
                                Flag.TOKEN_FILE),
                        new FlagOption(Flag.SYSTEMD, "Print a systemd service for this machine")))
                .words("store", 1, "The store that 'kjadm etcd seed' has prepared")
                .example("Run on each machine", "/mnt/etcd-store")
                .example("Print a unit of systemd that does so", "/mnt/etcd-store --systemd")
                .example("Show what this machine would do now", "/mnt/etcd-store --dry-run")
                .subcommand(look(
                                "status",
                                "Show the cluster, its machines, and what each of them waits for",
                                this::status)
                        .flags(OutputFlags.WITH_TABLE)
                        .example("Show the cluster", "")
                        .example("Print it as JSON", "-o json")
                        .build())
                .subcommand(look(
                                "explain",
                                "Show each rule of the automatic mode, and whether it applies to this machine",
                                this::explain)
                        .example("Show why this machine does what it does", "")
                        .build())
                .subcommand(look("log", "Show the log of the cluster", this::log)
                        .flags(FlagOption.explained(
                                FlagOption.all(Flag.WATCH),
                                new FlagOption(Flag.WATCH, "Show new entries as they are written")))
                        .example("Show what the machines do", "--watch")
                        .example("Show all entries, each with its command", "")
                        .build())
                .subcommand(look("pause", "Pause the automatic mode on all machines", this::pause)
                        .flags(FlagOption.explained(
                                FlagOption.all(Flag.FOR, Flag.REASON),
                                new FlagOption(Flag.REASON, "Text that is shown on all machines")))
                        .example("Pause it for maintenance", "--for 1h --reason \"new switches\"")
                        .build())
                .subcommand(look(
                                "resume",
                                "End a pause of the automatic mode, and let machines join after others have removed a voter",
                                this::resume)
                        .example("End the pause", "")
                        .build())
                .subcommand(new AdoptCommand(console, reporters).build())
                .subcommand(new ApproveCommands(console, reporters).approve())
                .subcommand(new ApproveCommands(console, reporters).retire())
                .subcommands(new AutoMachineCommands(console, reporters).build())
                .build();
    }

    private static CommandBuilder look(
            String name, String description, BiConsumer<CommandFlags, List<String>> action) {
        return CommandBuilder.running(name, description, action)
                .flags(FlagOption.all(Flag.TOKEN_FILE))
                .words("store", 1, STORE);
    }

    /** A service and other machines use it, too: from other directories. */
    static void requirePlace(String store) {
        if (!store.startsWith("/") && !store.contains("://")) {
            throw new UsageException(
                    CommonReason.NOT_ACCEPTED,
                    "%s is not a store".formatted(store),
                    "it is neither an absolute path nor the URL of a bucket",
                    "specify a directory that all machines have mounted, as /mnt/etcd-store, or a bucket, as s3://BUCKET/PREFIX");
        }
    }

    private void run(CommandFlags flags, List<String> words) {
        String store = words.stream()
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        "the store is missing",
                        "",
                        "specify the store of 'kjadm etcd seed': kjadm etcd auto /mnt/etcd-store"));
        requirePlace(store);
        if (flags.isOn(Flag.SYSTEMD)) {
            console.print(AutoUnit.text(store, flags));
            return;
        }
        if (flags.isOn(Flag.DRY_RUN)) {
            runs().looking(
                            flags,
                            words,
                            loop -> AutoLoop.lines(loop.look().outcome())
                                    .forEach(line -> console.print(line + "\n")));
            return;
        }
        AutoMetrics metrics = new AutoMetrics(new DiskFiles(), flags.path(Flag.METRICS_FILE));
        if (flags.isOn(Flag.ONCE)) {
            runs().onMachine(flags, store, metrics, loop -> conclude(metrics.after(loop.turn())));
            return;
        }
        boolean[] again = {true};
        while (again[0]) {
            // with the time that the machine has now
            runs().onMachine(flags, store, metrics, loop -> again[0] = loop.run(metrics::after));
        }
    }

    private AutoRuns runs() {
        return new AutoRuns(console, reporters);
    }

    /** The words that say the same as these flags. */
    static List<String> words(CommandFlags flags, List<FlagOption> options) {
        List<String> words = new ArrayList<>();
        for (FlagOption option : options) {
            Flag flag = option.flag();
            if (flags.isSet(flag)) {
                words.add("--%s=%s"
                        .formatted(
                                flag,
                                switch (flag.kind()) {
                                    case SWITCH -> String.valueOf(flags.isOn(flag));
                                    case LIST -> String.join(",", flags.list(flag));
                                    default -> flags.text(flag).orElse("");
                                }));
            }
        }
        return words;
    }

    private void conclude(Turn turn) {
        turn.problem().ifPresent(failure -> {
            throw failure;
        });
        if (turn.outcome().decision() instanceof Wait(WaitCode code, String why, String next)) {
            throw new ClusterException(
                    code, "this machine waits (%s)".formatted(code.text()), why, next);
        }
        if (turn.outcome().decision() instanceof Decision.Idle) {
            AutoLoop.lines(turn.outcome()).forEach(line -> console.print(line + "\n"));
        }
    }

    private void status(CommandFlags flags, List<String> words) {
        var writer = OutputFlags.writerOrTable(flags);
        runs().onLog(flags, words, log -> {
            Map<MachineId, Seen> machines = log.reports().readByClock();
            // what they have read is in the log that is read after their reports
            Optional<String> unsafe = log.refresh() instanceof StoreView.Unsafe(String why)
                    ? Optional.of(why)
                    : Optional.empty();
            AutoListing listing = new AutoListing(
                    log.cluster().orElseThrow().name(), log.charter(), machines, unsafe);
            console.print(writer.map(chosen -> chosen.write(List.of(listing.object())))
                    .orElseGet(listing::text));
        });
    }

    private void explain(CommandFlags flags, List<String> words) {
        runs().looking(
                        flags,
                        words,
                        loop -> console.print(AutoListing.explain(loop.look().outcome())));
    }

    private void log(CommandFlags flags, List<String> words) {
        runs().onLog(flags, words, (log, composition) -> {
            long next = 1;
            do {
                log.entries(next).forEach(entry -> console.print(AutoListing.entry(entry)));
                next = log.charter().tail().slot() + 1;
            } while (flags.isOn(Flag.WATCH) && further(log, composition.ports().waiter()));
        });
    }

    /** Reads what is new after a while; false if the program is told to stop. */
    private static boolean further(AutoLog log, Waiter waiter) {
        try {
            waiter.pause("log", "the next entry", POLL);
        } catch (KjadmException e) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            throw e;
        }
        StoreView store = log.refresh();
        if (!(store instanceof StoreView.Silent)) {
            ReadableLog.require(store);
        }
        return true;
    }

    private void pause(CommandFlags flags, List<String> words) {
        Pause wanted =
                new Pause(flags.duration(Flag.FOR), flags.text(Flag.REASON).orElse(""));
        append(
                flags,
                words,
                log -> {
                    Optional<Pause> open = log.charter().pause().map(Open::body);
                    boolean other = flags.isSet(Flag.FOR) || flags.isSet(Flag.REASON);
                    if (other && open.filter(it -> !it.equals(wanted)).isPresent()) {
                        throw new UsageException(
                                CommonReason.NOT_ACCEPTED,
                                "the automatic mode is paused already",
                                AutoListing.pause(log.charter().pause().get()),
                                "run 'kjadm etcd auto resume', then pause it again");
                    }
                    return open.isPresent() ? Optional.empty() : Optional.of(wanted);
                },
                "The automatic mode is paused already",
                "Paused the automatic mode; machines see it within 15 s. A change of members that is open ends first",
                "kjadm etcd auto pause");
    }

    private void resume(CommandFlags flags, List<String> words) {
        if (LocalPause.end(new DiskFiles())) {
            console.print("Ended the pause of this machine\n");
        }
        append(
                flags,
                words,
                log -> log.charter()
                        .pause()
                        .map(Open::slot)
                        .or(log.charter().members()::held)
                        .map(Resume::new),
                "The automatic mode is not paused",
                "The automatic mode goes on; machines see it within 15 s",
                "kjadm etcd auto resume");
    }

    private void append(
            CommandFlags flags,
            List<String> words,
            Function<AutoLog, Optional<EntryBody>> wanted,
            String nothing,
            String done,
            String command) {
        runs().onLog(flags, words, log -> {
            boolean written = OperatorEntry.writeAll(log, () -> wanted.apply(log), command);
            console.print((written ? done : nothing) + "\n");
        });
    }
}
