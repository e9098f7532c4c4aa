package io.kjadm.cli.etcd;

import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.command.JoinFlags;
import io.kjadm.cli.command.OnePhase;
import io.kjadm.cli.command.WorkflowCommand;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.standalone.EtcdRun;
import io.kjadm.core.standalone.EtcdRunLoader;
import io.kjadm.core.standalone.EtcdWorkflows;
import io.kjadm.core.standalone.JoinTarget;
import io.kjadm.core.standalone.StandalonePorts;
import io.kjadm.core.timing.Timings;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PublicKeyPin;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * {@code kjadm etcd init} and {@code join}: the members of a standalone etcd.
 *
 * @param etcd how these commands reach etcd
 */
record StandaloneSetupCommands(
        Console console, Function<Console, Reporter> reporters, UnaryOperator<EtcdConnector> etcd) {

    /** CA, server, peer and two clients. */
    private static final int KEYS = 5;

    /** The flags of a member that is set up. */
    static final List<FlagOption> MEMBER = FlagOption.explained(
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
                    Flag.BUMP_REVISION,
                    Flag.CLUSTER_ID,
                    Flag.CLUSTER_TOKEN,
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
            Flag.EXISTING_DATA,
            Flag.JOIN_STALL_TIMEOUT,
            Flag.JOIN_TIMEOUT,
            Flag.JOIN_WAIT,
            Flag.KEEP_LEARNER,
            Flag.REPLACE_LOST_VOTER,
            Flag.TAKEOVER,
            Flag.WIPE_ETCD_DATA);

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
                                () -> EtcdWorkflows.init(drawn())),
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
                                                "The machine was installed again, and its data disk was kept",
                                                "https://10.0.0.1:2379 --bundle ca.bundle --certificate-key-file certificate.key --existing-data")
                                        .example(
                                                "Show what would be done",
                                                "https://10.0.0.1:2379 --dry-run")
                                        .phasesTake("https://10.0.0.1:2379"),
                                JOIN,
                                withPhases,
                                () -> EtcdWorkflows.join(drawn())));
    }

    private void init(CommandFlags flags, List<String> words, Optional<OnePhase> only) {
        Optional<String> word = flags.text(Flag.FROM_SNAPSHOT).or(() -> flags.text(Flag.SNAPSHOT));
        run(
                flags,
                Optional.empty(),
                only,
                (composition, work) -> withSnapshot(flags, word, composition, work),
                EtcdWorkflows::init);
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
                EtcdWorkflows::join);
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
                    JoinFlags.limits(flags),
                    flags.isOn(Flag.EXISTING_DATA));
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
        try (Composition composition = new Composition(
                        out, Ports.of(out, dry).withEtcd(etcd), Timings.none())
                .changing(ChangingCommand.SETTING_UP)) {
            EtcdRun run = new StandaloneEtcd(composition).loader().load(flags, target);
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
        Workflow<EtcdRun> workflow = workflows.apply(new StandaloneEtcd(composition).ports(keys));
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
        ForeignFlags.refuse(
                flags,
                List.of(Flag.ENDPOINTS, Flag.KUBECONFIG),
                ForeignFlags.OWN_ETCD,
                "omit the flag; the cluster to join is an argument");
        return flags.isSet(Flag.CERT_DIR) && !flags.isSet(Flag.CERTS_DIR)
                ? flags.with(Flag.CERTS_DIR, flags.text(Flag.CERT_DIR).orElseThrow())
                : flags;
    }

    private StandalonePorts drawn() {
        return new StandaloneEtcd(new Composition(reporters.apply(console), true))
                .ports(KeyPairPool.onDemand(KeyAlgorithm.DEFAULT));
    }
}
