package io.kjadm.cli.etcd;

import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ProgramVersion;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.HostLock;
import io.kjadm.core.auto.AutoLog;
import io.kjadm.core.auto.AutoLoop;
import io.kjadm.core.auto.AutoMemory;
import io.kjadm.core.auto.AutoMetrics;
import io.kjadm.core.auto.AutoPaths;
import io.kjadm.core.auto.AutoSteps;
import io.kjadm.core.auto.AutoToken;
import io.kjadm.core.auto.GuardedEtcd;
import io.kjadm.core.auto.LocalPause;
import io.kjadm.core.auto.LogRepair;
import io.kjadm.core.auto.ManualCommand;
import io.kjadm.core.auto.OwnDisk;
import io.kjadm.core.auto.OwnReport;
import io.kjadm.core.auto.OwnRun;
import io.kjadm.core.auto.ReadableLog;
import io.kjadm.core.auto.StartCheck;
import io.kjadm.core.auto.SystemdView;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.core.standalone.CaOfGeneration;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.auto.AutoFacts.Backup;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.Step;
import io.kjadm.store.ObjectStore;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** What the commands of the automatic mode work with, wired. */
record AutoRuns(Console console, Function<Console, Reporter> reporters) {

    private static final SecureRandom RANDOM = new SecureRandom();
    /** systemd waits for the answer, and so does a person. */
    private static final Duration ASK = Duration.ofSeconds(3);

    /** Works on a store. */
    void onStore(String store, BiConsumer<ObjectStore, Composition> work) {
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, false)) {
            credentials(composition.ports().observed());
            SnapshotStores stores = SnapshotRuns.stores(composition);
            stores.requireMounted(store);
            stores.open(store, opened -> {
                work.accept(opened, composition);
                return true;
            });
        }
    }

    /** Works on the log of a cluster, read to its end, as a person. */
    void onLog(CommandFlags flags, List<String> words, Consumer<AutoLog> work) {
        onLog(flags, words, (log, _) -> work.accept(log));
    }

    /** The same for work that goes on for a while. */
    void onLog(CommandFlags flags, List<String> words, BiConsumer<AutoLog, Composition> work) {
        words.forEach(AutoCommand::requirePlace);
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, false)) {
            HostFiles files = composition.ports().observed();
            AutoToken token = AutoToken.read(files, token(files, flags));
            open(composition, words, opened -> {
                AutoLog log = AutoLog.open(
                        opened, token, AutoMemory.none(), composition.ports().waiter(), RANDOM);
                ReadableLog.require(log, opened);
                work.accept(log, composition);
                return true;
            });
        }
    }

    /** Runs the automatic mode of this machine, one at a time. */
    void onMachine(CommandFlags flags, String store, AutoMetrics metrics, Consumer<AutoLoop> work) {
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, false);
                Claim _ = claim(composition.ports().files())) {
            AutoMemory memory = AutoMemory.of(composition.ports().files(), AutoPaths.STATE);
            HostFiles files = composition.ports().files();
            AutoToken token = AutoToken.read(files, token(flags));
            open(composition, List.of(store), opened -> {
                memory.start(RANDOM);
                files.write(AutoPaths.STORE, store + "\n", FileMode.OWNER_ONLY);
                AutoToken.keepFile(files, token(flags));
                files.write(
                        AutoPaths.BACKUP, token.backup().identity() + "\n", FileMode.OWNER_ONLY);
                ObjectStore counted = metrics.counting(opened);
                Opened own = new Opened(counted, store, token, memory, files, true);
                loop(flags, own, composition, work);
                return true;
            });
        }
    }

    /** Lets a command of a person run on this machine, or not. */
    void require(ManualCommand command, Optional<String> override) {
        try (Composition composition = new Composition(new SilentReporter(), true)) {
            HostFiles files = composition.ports().observed();
            // who may not look there is not asked
            if (!files.exists(AutoPaths.IDENTITY)) {
                return;
            }
            Optional<Charter> log = within(composition, store -> {
                AutoLog it = AutoLog.open(
                        store,
                        AutoToken.read(files, AutoToken.file(files)),
                        remembered(files),
                        composition.ports().waiter(),
                        RANDOM);
                return it.refresh() instanceof StoreView.Answers
                        ? Optional.of(it.charter())
                        : Optional.empty();
            });
            command.require(log.or(() -> retired(files, composition)), override);
        }
        override.ifPresent(reason -> LocalPause.begin(new DiskFiles(), reason));
    }

    /** The log as this machine remembers it, if that says the end; nothing follows it. */
    private static Optional<Charter> retired(HostFiles files, Composition composition) {
        try {
            return Optional.of(AutoLog.remembered(
                            AutoToken.read(files, AutoToken.file(files)),
                            remembered(files),
                            composition.ports().waiter()))
                    .filter(charter -> charter.phase() == Phase.RETIRED);
        } catch (KjadmException e) {
            // the refusal says what is missing
            return Optional.empty();
        }
    }

    /** For one thread: that which asks the store may still run when its answer is not awaited any more. */
    private static AutoMemory remembered(HostFiles files) {
        return AutoMemory.of(new OverlayFiles(files, new SilentReporter()), AutoPaths.STATE);
    }

    /** What the store of this machine's daemon tells soon; empty if it does not. */
    private static <T> Optional<T> within(
            Composition composition, Function<ObjectStore, Optional<T>> question) {
        FutureTask<Optional<T>> asked =
                new FutureTask<>(() -> open(composition, List.of(), question));
        // a directory on a server that is gone keeps a thread for good
        Thread.ofPlatform().daemon().name("store").start(asked);
        try {
            return asked.get(ASK.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** What systemd asks before each start of etcd: fails if it must not start. */
    void check(CommandFlags flags) {
        try (Composition composition = new Composition(reporters.apply(console), true)) {
            HostFiles files = composition.ports().observed();
            AutoToken token = AutoToken.read(files, token(files, flags));
            Supplier<StartCheck> check = () -> new StartCheck(
                    remembered(files),
                    token,
                    new OwnDisk(files, EtcdHostPaths.standard().diskNote(), RANDOM),
                    composition.ports().waiter());
            check.get()
                    .refusal(within(composition, store -> check.get().ask(store, RANDOM)))
                    .ifPresent(refusal -> {
                        throw new ClusterException(
                                refusal.code(),
                                "etcd does not start on this machine (%s)"
                                        .formatted(refusal.code().text()),
                                refusal.why(),
                                refusal.next());
                    });
        }
    }

    /** The store that is named, or that of this machine's daemon, with the daemon's credentials. */
    static <T> T open(Composition composition, List<String> words, Function<ObjectStore, T> work) {
        HostFiles files = composition.ports().observed();
        credentials(files);
        return SnapshotRuns.stores(composition).open(store(files, words), work);
    }

    /** The environment of the daemon, which etcd is not to have; unless this program has its own. */
    private static void credentials(HostFiles files) {
        if (System.getenv("AWS_ACCESS_KEY_ID") != null || System.getenv("AWS_PROFILE") != null) {
            return;
        }
        Map<String, String> properties = Map.of(
                "AWS_ACCESS_KEY_ID", "aws.accessKeyId",
                "AWS_SECRET_ACCESS_KEY", "aws.secretAccessKey",
                "AWS_SESSION_TOKEN", "aws.sessionToken",
                "AWS_REGION", "aws.region");
        files.read(AutoPaths.CREDENTIALS).orElse("").lines().forEach(line -> {
            String[] pair = line.strip().split("=", 2);
            if (pair.length == 2 && properties.containsKey(pair[0])) {
                System.setProperty(
                        properties.get(pair[0]), pair[1].replaceAll("^([\"'])(.*)\\1$", "$2"));
            }
        });
    }

    /** Puts back what the store lacks of the log, from this machine's copy. */
    LogRepair.Repaired repairLog(CommandFlags flags, List<String> words, LogRepair.Person person) {
        words.forEach(AutoCommand::requirePlace);
        try (Composition composition = new Composition(reporters.apply(console), false)) {
            HostFiles files = composition.ports().files();
            AutoToken token = AutoToken.read(files, token(files, flags));
            return open(composition, words, store -> {
                LogRepair.Repaired repaired = new LogRepair(
                                store,
                                token,
                                remembered(files),
                                composition.ports().waiter())
                        .repair(person);
                repaired.log()
                        .current()
                        .map(Beginning::generation)
                        .ifPresent(
                                new CaOfGeneration(store, files, token.ca(), AutoPaths.STATE)
                                        ::provideAgain);
                return repaired;
            });
        }
    }

    /** The same that only looks, beside a daemon that runs: what it reads is kept in memory. */
    void looking(CommandFlags flags, List<String> words, Consumer<AutoLoop> work) {
        words.forEach(AutoCommand::requirePlace);
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, true)) {
            HostFiles files = composition.ports().observed();
            AutoToken token = AutoToken.read(files, token(files, flags));
            HostFiles kept = new OverlayFiles(files, new SilentReporter());
            AutoMemory memory = AutoMemory.of(kept, AutoPaths.STATE);
            if (memory.machine().isEmpty()) {
                memory.start(RANDOM);
            }
            open(composition, words, opened -> {
                Opened seen = new Opened(opened, store(files, words), token, memory, kept, false);
                loop(flags, seen, composition, work);
                return true;
            });
        }
    }

    private static Claim claim(HostFiles files) {
        return files.claim(AutoPaths.LOCK)
                .orElseThrow(() -> new UsageException(
                        "the automatic mode runs on this machine already",
                        "another kjadm holds the lock on " + AutoPaths.LOCK,
                        "see 'kjadm etcd auto status'"));
    }

    /**
     * A store, and what this machine has for it.
     *
     * @param name as this machine names it
     * @param acts whether it is the daemon's; else files are kept by nobody
     */
    private record Opened(
            ObjectStore store,
            String name,
            AutoToken token,
            AutoMemory memory,
            HostFiles files,
            boolean acts) {}

    private void loop(
            CommandFlags flags, Opened opened, Composition composition, Consumer<AutoLoop> work) {
        AutoMemory memory = opened.memory();
        Waiter waiter = composition.ports().observer();
        AutoLog log = AutoLog.open(opened.store(), opened.token(), memory, waiter, RANDOM);
        CaOfGeneration ca = new CaOfGeneration(
                opened.store(), opened.files(), opened.token().ca(), AutoPaths.STATE);
        StandaloneEtcd etcd = new StandaloneEtcd(composition);
        MemberSettings settings = etcd.loader().settings(flags);
        String hostname = new MachineFacts().hostname().toLowerCase(Locale.ROOT);
        try (SystemdView view = new SystemdView(
                memory,
                new SystemdEtcd(composition.ports().machine(), EtcdHostPaths.standard()),
                // with the CA that this run has fetched, also where it only looks
                new EtcdClients(
                        opened.files(),
                        composition.clients(),
                        composition.ports().servers().etcd(),
                        waiter),
                ca,
                new SystemdView.Keeping(
                        new OwnDisk(opened.files(), EtcdHostPaths.standard().diskNote(), RANDOM),
                        copies(opened, log, waiter),
                        AutoUnit.check(flags)),
                new SystemdView.Options(
                        hostname,
                        settings.address(),
                        settings.directories(),
                        passed(flags),
                        flags.path(Flag.ETCD_TARBALL).map(Path::toAbsolutePath),
                        new Backup(
                                new Step.Save(
                                        opened.name(), opened.token().backup().recipient()),
                                AutoPaths.BACKUP.toString()),
                        HostLock.LOCK))) {
            UnaryOperator<EtcdConnector> guard = real -> GuardedEtcd.around(real, log, memory.id());
            AutoSteps steps = new CommandSteps(
                    new EtcdCommand(console, reporters, guard),
                    new SystemdEtcd(composition.ports().machine(), EtcdHostPaths.standard()),
                    ca,
                    memory::generation,
                    CommandSteps.Restoring.of(log, memory, etcd, settings, composition));
            work.accept(new AutoLoop(
                    log,
                    log.reports(),
                    new OwnReport(
                            log.reports(),
                            memory,
                            new OwnReport.Names(
                                    hostname,
                                    "kjadm " + ProgramVersion.current().version()),
                            waiter),
                    view,
                    steps,
                    new AutoLoop.Context(
                            waiter,
                            composition.ports().background(),
                            composition.out(),
                            Instant::now)));
        }
    }

    /** Only the daemon counts the boots of this machine. */
    private static Supplier<Optional<Copy>> copies(Opened opened, AutoLog log, Waiter waiter) {
        AutoMemory memory = opened.memory();
        if (!opened.acts()) {
            return () -> Optional.of(
                            new Copy(true, "another machine reports by the ID of this one"))
                    .filter(_ -> memory.copied());
        }
        OwnRun run = new OwnRun(log.reports(), memory, OwnRun.boot(opened.files()), waiter);
        return run::look;
    }

    /** What {@code etcd init} and {@code join} are told besides. */
    private static List<String> passed(CommandFlags flags) {
        List<String> words = new ArrayList<>(List.of(
                "--bundle=" + CaOfGeneration.bundle(AutoPaths.STATE),
                "--certificate-key-file=" + CaOfGeneration.keyFile(AutoPaths.STATE)));
        words.addAll(AutoCommand.words(flags, AutoCommand.PASSED));
        return words;
    }

    /**
     * The store that is named, or that of this machine's daemon.
     *
     * @throws UsageException if none is named, and no daemon has run here
     */
    private static String store(HostFiles files, List<String> words) {
        return words.stream()
                .findFirst()
                .or(() -> files.read(AutoPaths.STORE).map(String::strip))
                .orElseThrow(() -> new UsageException(
                        "the store is missing",
                        "'kjadm etcd auto' has not run on this machine",
                        "specify the store of 'kjadm etcd seed'"));
    }

    /** The token of the daemon that is started. */
    private static Path token(CommandFlags flags) {
        return flags.path(Flag.TOKEN_FILE).orElse(AutoPaths.TOKEN);
    }

    /** The token that is named, or that of this machine's daemon. */
    static Path token(HostFiles files, CommandFlags flags) {
        return flags.path(Flag.TOKEN_FILE).orElseGet(() -> AutoToken.file(files));
    }
}
