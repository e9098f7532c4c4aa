package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.JoinFlags;
import io.kjadm.cli.command.OnePhase;
import io.kjadm.cli.command.OutputFlags;
import io.kjadm.cli.command.WorkflowCommand;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.ConsoleConfirmation;
import io.kjadm.cli.listing.EtcdListing;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.HostLock;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.config.MachineFacts;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.commands.EtcdStatus;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.net.HttpDownload;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.core.standalone.EtcdInitWorkflow;
import io.kjadm.core.standalone.EtcdJoinWorkflow;
import io.kjadm.core.standalone.EtcdPrograms;
import io.kjadm.core.standalone.EtcdReset;
import io.kjadm.core.standalone.EtcdRun;
import io.kjadm.core.standalone.EtcdRunLoader;
import io.kjadm.core.standalone.EtcdService;
import io.kjadm.core.standalone.JoinTarget;
import io.kjadm.core.standalone.OtherMembers;
import io.kjadm.core.standalone.ReleaseInstaller;
import io.kjadm.core.standalone.RestoredEtcdService;
import io.kjadm.core.standalone.StandalonePorts;
import io.kjadm.core.upgrade.EtcdInstallation;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.JetcdQueue;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PublicKeyPin;

import picocli.CommandLine;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * {@code kjadm etcd init}, {@code join}, {@code reset}, {@code info} and {@code download}: an etcd
 * of its own, on machines without Kubernetes.
 */
public final class StandaloneEtcdCommands {

    /** CA, server, peer and two clients. */
    private static final int KEYS = 5;
    /** A release has some 25 MB. */
    private static final Duration DOWNLOAD_LIMIT = Duration.ofMinutes(15);

    private static final List<FlagOption> MEMBER = FlagOption.explained(
            FlagOption.all(
                    Flag.ALLOW_INSECURE_RELEASE_SERVER,
                    Flag.BIND_ADDRESS,
                    Flag.BUNDLE,
                    Flag.CERTIFICATE_KEY,
                    Flag.CERTIFICATE_KEY_FILE,
                    Flag.CERTS_DIR,
                    Flag.DATA_DIR,
                    Flag.DISK_PRIORITIES,
                    Flag.DRY_RUN,
                    Flag.ETCD_TARBALL,
                    Flag.IGNORE_PREFLIGHT_ERRORS,
                    Flag.INIT_SYSTEM,
                    Flag.INSTALL_DIR,
                    Flag.NAME,
                    Flag.RELEASE_URL,
                    Flag.SERVER_CERT_EXTRA_SANS,
                    Flag.SKIP_PHASES,
                    Flag.VERSION),
            new FlagOption(
                    Flag.CERTIFICATE_KEY,
                    "Key used to encrypt the bundle. Other users of this machine can see it: prefer $KJADM_CERTIFICATE_KEY or --certificate-key-file"),
            new FlagOption(
                    Flag.VERSION,
                    "The etcd release (default %s)"
                            .formatted(
                                    EtcdRunLoader.version(CommandFlags.none(), Optional.empty()))));

    private static final List<FlagOption> INIT = FlagOption.explained(
            FlagOption.all(
                    MEMBER,
                    Flag.CLUSTER_ID,
                    Flag.FROM_SNAPSHOT,
                    Flag.IDENTITY_FILE,
                    Flag.SKIP_HASH_CHECK,
                    Flag.SNAPSHOT,
                    Flag.STORE,
                    Flag.VERIFY_KEY),
            new FlagOption(
                    Flag.BUNDLE, "File to write the encrypted CA to, for machines that join"));

    private static final List<FlagOption> JOIN = FlagOption.all(
            MEMBER,
            Flag.ALLOW_DEGRADED,
            Flag.ALLOW_MIXED,
            Flag.CA_CERT_HASH,
            Flag.JOIN_STALL_TIMEOUT,
            Flag.JOIN_TIMEOUT,
            Flag.JOIN_WAIT,
            Flag.KEEP_LEARNER,
            Flag.REPLACE_LOST_VOTER,
            Flag.TAKEOVER,
            Flag.WIPE_ETCD_DATA);

    private static final List<FlagOption> RESET = FlagOption.explained(
            FlagOption.all(
                    Flag.DRY_RUN,
                    Flag.FORCE,
                    Flag.FORCE_LAST_MEMBER,
                    Flag.PURGE_PKI,
                    Flag.SKIP_REMOVE_MEMBER,
                    Flag.YES),
            new FlagOption(
                    Flag.FORCE,
                    "Do not ask for confirmation, and stop etcd even if it is unknown whether the others list this member; its data is kept"),
            new FlagOption(Flag.YES, "Do not ask for confirmation"));

    private static final List<FlagOption> TEARDOWN = FlagOption.explained(
            FlagOption.all(Flag.DELETE_DATA, Flag.DRY_RUN, Flag.FORCE, Flag.YES),
            new FlagOption(
                    Flag.FORCE,
                    "Do not ask for confirmation, and stop etcd even if it is unknown whether the others list this member; its data is kept"),
            new FlagOption(Flag.YES, "Do not ask for confirmation"));

    private final Console console;
    private final Function<Console, Reporter> reporters;
    private final EtcdSessions sessions;

    StandaloneEtcdCommands(
            Console console, Function<Console, Reporter> reporters, EtcdSessions sessions) {
        this.console = console;
        this.reporters = reporters;
        this.sessions = sessions;
    }

    /** @param withPhases whether anybody will look at the single phases */
    List<CommandLine> build(boolean withPhases) {
        return List.of(
                new WorkflowCommand<EtcdRun>(console, INIT, command -> {}, this::init)
                        .build(
                                new WorkflowCommand.Text(
                                                "init",
                                                "Set up the first member of a standalone etcd cluster, without Kubernetes")
                                        .example(
                                                "Set up the first member, and write the CA for the others",
                                                "--bundle ca.bundle")
                                        .example(
                                                "Install one release, in other directories",
                                                "--version 3.6.8 --install-dir /usr/local/bin --data-dir /srv/etcd")
                                        .example(
                                                "Start with the data of a snapshot",
                                                "--from-snapshot latest --store s3://backups/etcd"),
                                INIT,
                                withPhases,
                                () -> EtcdInitWorkflow.of(drawn())),
                new WorkflowCommand<EtcdRun>(
                                console,
                                JOIN,
                                command -> command.words(
                                        "endpoint",
                                        "Client URLs of members, for example https://10.0.0.1:2379"),
                                this::join)
                        .build(
                                new WorkflowCommand.Text(
                                                "join",
                                                "Join this machine to a standalone etcd cluster")
                                        .example(
                                                "Join with the bundle of the first member",
                                                "https://10.0.0.1:2379 --bundle ca.bundle --certificate-key-file certificate.key")
                                        .example(
                                                "Show what would be done",
                                                "https://10.0.0.1:2379 --dry-run")
                                        .phasesTake("https://10.0.0.1:2379"),
                                JOIN,
                                withPhases,
                                () -> EtcdJoinWorkflow.of(drawn())),
                CommandBuilder.running(
                                "reset",
                                "Remove this machine's member from its standalone etcd cluster, and rename its data directory",
                                (flags, words) -> reset(flags))
                        .flags(RESET)
                        .example("Remove this machine's member, after confirmation", "")
                        .example("Show what would be done", "--dry-run")
                        .build(),
                CommandBuilder.running(
                                "teardown",
                                "Remove the standalone etcd member and all installed files from this machine, even if it is the last member",
                                (flags, words) -> teardown(flags))
                        .flags(TEARDOWN)
                        .example("Remove etcd from this machine, and keep its data", "")
                        .example("Also delete the data", "--delete-data --yes")
                        .build(),
                CommandBuilder.running(
                                "info",
                                "Show the etcd member of this machine",
                                (flags, words) -> info(flags))
                        .flags(OutputFlags.WITH_TABLE)
                        .example("Show the member", "")
                        .example("Print it as JSON", "-o json")
                        .build(),
                CommandBuilder.running(
                                "download",
                                "Download an etcd release to the cache, and verify it",
                                (flags, words) -> download(flags))
                        .flags(MEMBER.stream()
                                .filter(option -> List.of(
                                                Flag.ALLOW_INSECURE_RELEASE_SERVER,
                                                Flag.DRY_RUN,
                                                Flag.RELEASE_URL,
                                                Flag.VERSION)
                                        .contains(option.flag()))
                                .toList())
                        .example("Download one release", "--version 3.6.8")
                        .build());
    }

    private StandalonePorts drawn() {
        return ports(
                new Composition(reporters.apply(console), true),
                false,
                KeyPairPool.onDemand(KeyAlgorithm.DEFAULT));
    }

    private static EtcdRunLoader loader(Composition composition) {
        return new EtcdRunLoader(
                composition.ports().observed(),
                new MachineFacts(),
                EtcdHostPaths.standard(),
                System.getenv());
    }

    private void init(CommandFlags flags, List<String> words, Optional<OnePhase> only) {
        Optional<String> word = flags.text(Flag.FROM_SNAPSHOT).or(() -> flags.text(Flag.SNAPSHOT));
        run(
                flags,
                Optional.empty(),
                only,
                (composition, work) -> withSnapshot(flags, word, composition, work),
                EtcdInitWorkflow::of);
    }

    private void join(CommandFlags flags, List<String> words, Optional<OnePhase> only) {
        if (words.isEmpty()) {
            throw new UsageException(
                    "the cluster to join is missing",
                    "",
                    "specify the client URL of a member: kjadm etcd join https://10.0.0.1:2379");
        }
        run(
                flags,
                Optional.of(target(flags, words)),
                only,
                (composition, work) -> work.accept(Optional.empty()),
                EtcdJoinWorkflow::of);
    }

    /** Names what {@code snapshot restore} names; a store is open as long as the work goes on. */
    private static void withSnapshot(
            CommandFlags flags,
            Optional<String> word,
            Composition composition,
            Consumer<Optional<RestoreSource>> work) {
        if (word.isEmpty()) {
            work.accept(Optional.empty());
        } else if (word.get().contains("/")) {
            work.accept(Optional.of(SnapshotRestoreCommand.ofFile(
                    Path.of(word.get()), Optional.empty(), flags, composition)));
        } else {
            SnapshotRuns.stores(composition)
                    .use(
                            SnapshotRuns.store(flags),
                            SnapshotRuns.trust(flags, composition),
                            catalog -> {
                                work.accept(Optional.of(SnapshotRestoreCommand.ofStore(
                                        word.get(), flags, composition, catalog)));
                                return true;
                            });
        }
    }

    private static JoinTarget target(CommandFlags flags, List<String> words) {
        try {
            return new JoinTarget(
                    EtcdTarget.of(words, Optional.empty()).endpoints().stream()
                            .map(url -> EtcdUrls.canonical(url, EtcdPorts.CLIENT))
                            .toList(),
                    flags.list(Flag.CA_CERT_HASH).stream()
                            .map(PublicKeyPin::parse)
                            .toList(),
                    JoinFlags.rejoin(flags),
                    JoinFlags.limits(flags));
        } catch (PkiException e) {
            throw new UsageException(
                    "--ca-cert-hash cannot be used",
                    e.getMessage(),
                    "copy it from the output of 'kjadm etcd init'");
        }
    }

    private void run(
            CommandFlags typed,
            Optional<JoinTarget> target,
            Optional<OnePhase> only,
            BiConsumer<Composition, Consumer<Optional<RestoreSource>>> snapshots,
            Function<StandalonePorts, Workflow<EtcdRun>> workflows) {
        CommandFlags flags = local(typed);
        Reporter out = reporters.apply(console);
        boolean dry = flags.isOn(Flag.DRY_RUN);
        try (Composition composition = new Composition(out, dry);
                Claim _ = HostLock.claim(composition.ports().files())) {
            composition.refuseBesideUnfinished(ChangingCommand.SETTING_UP);
            EtcdRun run = loader(composition).load(flags, target);
            snapshots.accept(
                    composition,
                    snapshot -> run(flags, run, snapshot, only, workflows, composition));
        }
    }

    private static void run(
            CommandFlags flags,
            EtcdRun loaded,
            Optional<RestoreSource> snapshot,
            Optional<OnePhase> only,
            Function<StandalonePorts, Workflow<EtcdRun>> workflows,
            Composition composition) {
        Reporter out = composition.out();
        boolean dry = flags.isOn(Flag.DRY_RUN);
        if (snapshot.isPresent() && loaded.settled()) {
            out.warn(
                    "this machine already runs a member: ignoring the snapshot. To replace the member's data, run 'kjadm etcd snapshot restore' with it");
        }
        if (dry) {
            snapshot.stream()
                    .flatMap(source -> source.describe().stream())
                    .forEach(line -> out.step("dryrun", "Would restore etcd's data from: " + line));
        }
        EtcdRun run = dry ? loaded : snapshot.map(loaded::from).orElse(loaded);
        KeyPairPool keys = only.isPresent() || run.settled()
                ? KeyPairPool.onDemand(KeyAlgorithm.DEFAULT)
                : KeyPairPool.started(KeyAlgorithm.DEFAULT, KEYS);
        Workflow<EtcdRun> workflow = workflows.apply(ports(composition, dry, keys));
        Selection selection = only.map(OnePhase::selection)
                .orElseGet(() -> Selection.allBut(skipped(flags, run, workflow)));
        workflow.selected(selection);
        if (run.settled() && only.isEmpty()) {
            out.step("etcd", "This machine's member is already set up and is left unchanged");
        }
        workflow.run(run, selection, out);
    }

    /** Of a member that serves, only what it is reached by is looked after. */
    private static List<String> skipped(
            CommandFlags flags, EtcdRun run, Workflow<EtcdRun> workflow) {
        List<String> skipped = new ArrayList<>(flags.list(Flag.SKIP_PHASES));
        if (run.settled()) {
            workflow.phases().stream()
                    .map(phase -> phase.info().name())
                    .filter(name -> !EtcdRun.REPEATABLE.contains(name))
                    .forEach(skipped::add);
        }
        return skipped;
    }

    /** {@code --cert-dir} is the other commands' word for {@code --certs-dir}. */
    private static CommandFlags local(CommandFlags flags) {
        refuse(
                flags,
                List.of(Flag.ENDPOINTS, Flag.KUBECONFIG),
                "omit the flag; the cluster to join is an argument");
        return flags.isSet(Flag.CERT_DIR) && !flags.isSet(Flag.CERTS_DIR)
                ? flags.with(Flag.CERTS_DIR, flags.text(Flag.CERT_DIR).orElseThrow())
                : flags;
    }

    /** Of a command that finds out by itself where the files of this machine's member are. */
    private static CommandFlags found(CommandFlags flags) {
        return found(flags, List.of(Flag.CERT_DIR, Flag.ENDPOINTS, Flag.KUBECONFIG));
    }

    private static CommandFlags found(CommandFlags flags, List<Flag> meaningless) {
        refuse(flags, meaningless, "omit the flag");
        return flags;
    }

    private static void refuse(CommandFlags flags, List<Flag> foreigners, String next) {
        for (Flag foreign : foreigners) {
            if (flags.isSet(foreign)) {
                throw new UsageException(
                        "--%s cannot be used here".formatted(foreign),
                        "this command works on this machine's etcd",
                        next);
            }
        }
    }

    private static StandalonePorts ports(Composition composition, boolean dry, KeyPairPool keys) {
        Ports ports = composition.ports();
        return new StandalonePorts(
                ports.machine(),
                clients(composition),
                programs(composition, dry),
                keys,
                composition.preflightHost(KubernetesPaths.standard()),
                new MachineFacts(),
                ports.probes(),
                Failpoints.ofProcess());
    }

    private static EtcdClients clients(Composition composition) {
        Ports ports = composition.ports();
        return new EtcdClients(
                ports.files(), composition.clients(), ports.etcd(), ports.observer());
    }

    private static EtcdPrograms programs(Composition composition, boolean dry) {
        Ports ports = composition.ports();
        EtcdHostPaths paths = EtcdHostPaths.standard();
        return dry
                ? EtcdPrograms.reporting(ports.runner(), ports.observed(), paths)
                : new ReleaseInstaller(
                        ports.files(),
                        ports.runner(),
                        new HttpDownload(System.getenv(), DOWNLOAD_LIMIT)::fetch,
                        paths);
    }

    /** This machine's etcd of its own, as what gets another version. */
    static EtcdInstallation installation(
            CommandFlags flags, Composition composition, SystemdEtcd etcd, boolean dry) {
        return new EtcdService(
                etcd,
                clients(composition),
                programs(composition, dry),
                lock(composition, dry),
                loader(composition).options(flags, true),
                Failpoints.ofProcess(),
                composition.out());
    }

    /** This machine's etcd of its own, as what gets other data. */
    static RestoredEtcd restored(CommandFlags flags, Composition composition, SystemdEtcd etcd) {
        return new RestoredEtcdService(
                etcd,
                programs(composition, flags.isOn(Flag.DRY_RUN)),
                loader(composition).options(flags, true),
                composition.out());
    }

    /** Keeps other machines from changing this etcd meanwhile; a dry run changes nothing. */
    static MembershipLock lock(Composition composition, boolean dry) {
        if (dry) {
            return MembershipLock.none();
        }
        EtcdClients clients = clients(composition);
        HostFiles files = composition.ports().observed();
        return composition
                .cluster()
                .locks()
                .inEtcd(
                        () -> JetcdQueue.open(OtherMembers.known(
                                clients, composition.etcdHost().state(), composition.out())),
                        new HostInfo(files).hostname(),
                        composition.out());
    }

    private void reset(CommandFlags typed) {
        List<URI> asked =
                EtcdTarget.of(typed.list(Flag.ENDPOINTS), Optional.empty()).endpoints();
        CommandFlags flags = found(typed, List.of(Flag.CERT_DIR, Flag.KUBECONFIG));
        boolean force = flags.isOn(Flag.FORCE) || flags.isOn(Flag.SKIP_REMOVE_MEMBER);
        reset(
                flags,
                new EtcdReset.Options(
                                force,
                                flags.isOn(Flag.FORCE_LAST_MEMBER),
                                flags.isOn(Flag.PURGE_PKI))
                        .asking(asked),
                "This machine's etcd member will leave its cluster, and its service and certificates will be removed.");
    }

    private void teardown(CommandFlags typed) {
        CommandFlags flags = found(typed);
        boolean deleteData = flags.isOn(Flag.DELETE_DATA);
        reset(
                flags,
                EtcdReset.Options.teardown(flags.isOn(Flag.FORCE), deleteData),
                "This machine's etcd member will leave its cluster, which ends if it is the last one, and %s will be removed."
                        .formatted(
                                deleteData
                                        ? "its programs, certificates, CA and data"
                                        : "its programs, certificates and CA"));
    }

    private void reset(CommandFlags flags, EtcdReset.Options options, String consequence) {
        Reporter out = reporters.apply(console);
        boolean dry = flags.isOn(Flag.DRY_RUN);
        try (Composition composition = new Composition(out, dry);
                Claim _ = HostLock.claim(composition.ports().files())) {
            EtcdReset reset = new EtcdReset(
                    new SystemdEtcd(composition.ports().machine(), EtcdHostPaths.standard()),
                    clients(composition),
                    lock(composition, dry),
                    options,
                    Failpoints.ofProcess(),
                    out);
            boolean sure = dry || options.force() || flags.isOn(Flag.YES) || !reset.needed();
            if (!sure
                    && !new ConsoleConfirmation(console)
                            .confirm("reset", consequence + " Are you sure you want to proceed?")) {
                throw new UsageException("the reset was not confirmed", "", "");
            }
            reset.run();
        }
    }

    private void info(CommandFlags flags) {
        var writer = OutputFlags.writerOrTable(flags);
        sessions.with(flags, (session, composition) -> {
            EtcdStatus status = EtcdSessions.asking(composition.out(), session::status);
            EtcdListing listing = new EtcdListing(
                    status.only(
                            session.own()
                                    .orElseThrow(
                                            () -> new ClusterException(
                                                    "etcd on this machine does not respond",
                                                    "so it is unknown which member runs here",
                                                    "check 'systemctl status etcd'; 'kjadm etcd status' shows all members"))));
            console.print(writer.map(chosen -> chosen.write(listing.objects()))
                    .orElseGet(listing::table));
        });
    }

    private void download(CommandFlags typed) {
        CommandFlags flags = found(typed);
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, flags.isOn(Flag.DRY_RUN))) {
            EtcdVersion version = EtcdRunLoader.version(flags, Optional.empty());
            Path archive = programs(composition, flags.isOn(Flag.DRY_RUN))
                    .fetch(version, loader(composition).options(flags, true), out);
            out.step("download", "etcd %s is in %s".formatted(version, archive));
        }
    }
}
