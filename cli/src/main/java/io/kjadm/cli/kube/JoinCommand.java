package io.kjadm.cli.kube;

import io.kjadm.cli.command.Flags;
import io.kjadm.cli.command.JoinFlags;
import io.kjadm.cli.command.OnePhase;
import io.kjadm.cli.command.WorkflowCommand;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.join.AssumedCluster;
import io.kjadm.core.join.DiscoveredCluster;
import io.kjadm.core.join.JoinOptions;
import io.kjadm.core.join.JoinRun;
import io.kjadm.core.join.JoinWorkflow;
import io.kjadm.core.join.UnfinishedJoin;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.Workflow;
import io.kjadm.manifests.TextResource;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import picocli.CommandLine;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm join}: makes this machine a node of a cluster. */
public record JoinCommand(Console console, Function<Console, Reporter> reporters) {

    /** Certificates and kubeconfigs of a further control-plane node. */
    private static final int KEYS = 10;

    public CommandLine build(boolean withPhases) {
        return new WorkflowCommand<JoinRun>(
                        console,
                        Flags.JOIN,
                        command -> command.words(
                                "api-server-endpoint", 1, "Address of an API server, host:port"),
                        this::run)
                .build(
                        new WorkflowCommand.Text(
                                        "join",
                                        "Run this on any machine you wish to join an existing cluster")
                                .example(
                                        "Join a worker node; 'kjadm token create --print-join-command' prints the command",
                                        "api.example.com:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash sha256:HASH")
                                .example(
                                        "Join another control-plane node, with the key that 'kjadm init --upload-certs' printed",
                                        "api.example.com:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash sha256:HASH --control-plane --certificate-key KEY")
                                .example("Use a configuration file", "--config join.yaml"),
                        Flags.JOIN,
                        withPhases,
                        () -> workflow(
                                new Composition(reporters.apply(console), true),
                                KeyPairPool.onDemand(KeyAlgorithm.DEFAULT)));
    }

    private void run(CommandFlags flags, List<String> words, Optional<OnePhase> only) {
        RunOutput output = new RunOutput("join", flags, console, reporters);
        output.around(() -> run(flags, words, only, output));
    }

    private static void run(
            CommandFlags flags, List<String> words, Optional<OnePhase> only, RunOutput output) {
        Reporter out = output.out();
        Optional<ConfigurationFile> file = Composition.configurationFile(flags);
        JoinConfiguration given = out.during(
                "join",
                "Reading the configuration",
                () -> Composition.loader(out)
                        .join(file, flags, words.stream().findFirst(), options(flags, only)));
        Optional<AssumedCluster> assumed = assumed(given, flags);
        JoinConfiguration config =
                assumed.map(AssumedCluster::discovery).map(given::withDiscovery).orElse(given);
        output.dryRun(config.dryRun());
        output.about(node(config, Optional.empty()));
        Ports ports = assumed.map(cluster -> Ports.alone(out, cluster))
                .orElseGet(() -> config.dryRun() ? Ports.dry(out) : Ports.real(out));
        try (Composition composition = new Composition(out, output.noted(ports), output.timings())
                .changing(ChangingCommand.JOINING)) {
            UnfinishedJoin unfinished = only.isEmpty() && !config.dryRun()
                    ? UnfinishedJoin.on(composition.ports().files(), KubernetesPaths.standard())
                    : UnfinishedJoin.untracked(composition.ports().files());
            Workflow<JoinRun> workflow = assumed.isPresent()
                    ? phases(composition, keys(config)).assuming()
                    : workflow(composition, keys(config));
            Selection selection = only.map(OnePhase::selection)
                    .orElseGet(() -> Selection.allBut(config.skipPhases()));
            JoinOptions options = JoinFlags.read(flags, config);
            JoinRun run =
                    JoinRun.start(config, options, composition.ports().waiter().now(), unfinished);
            JoinRun done = output.following(workflow, known -> subject(known, ports.observed()))
                    .run(run, selection, out);
            unfinished.end();
            if (only.isEmpty()) {
                out.print(TextResource.filled(
                        JoinRun.class,
                        done.controlPlane() ? "joined-control-plane.txt" : "joined-worker.txt",
                        Map.of("ADMIN_CONF", done.paths().adminConf().toString())));
            }
        }
    }

    private static RunSubject node(JoinConfiguration config, Optional<String> version) {
        return RunSubject.node(
                config.nodeRegistration().name(), config.controlPlane().isPresent(), version);
    }

    private static RunSubject subject(JoinRun run, HostFiles files) {
        Optional<ClusterConfiguration> cluster = run.discovered().map(DiscoveredCluster::cluster);
        return node(run.config(), cluster.map(ClusterConfiguration::kubernetesVersion))
                .withEtcd(() -> run.config().dryRun() || !run.controlPlane()
                        ? Optional.empty()
                        : cluster.flatMap(known -> RunSubject.member(files, known)));
    }

    /** The cluster of a dry run that is not to ask the real one. */
    private static Optional<AssumedCluster> assumed(JoinConfiguration config, CommandFlags flags) {
        boolean asking = flags.isOn(Flag.ASK_CLUSTER);
        if (asking && !config.dryRun()) {
            throw new UsageException(
                    "--ask-cluster can only be used with --dry-run",
                    "a join asks the cluster in any case",
                    "add --dry-run, or leave out --ask-cluster");
        }
        return config.dryRun() && !asking
                ? Optional.of(new AssumedCluster(config, Instant.now()))
                : Optional.empty();
    }

    /**
     * Which keys the cluster uses is known only later; the usual ones are started on the chance.
     */
    private static KeyPairPool keys(JoinConfiguration config) {
        return config.controlPlane().isPresent()
                ? KeyPairPool.started(KeyAlgorithm.DEFAULT, KEYS)
                : KeyPairPool.onDemand(KeyAlgorithm.DEFAULT);
    }

    /**
     * Phases run one by one find the cluster through admin.conf, once that is there.
     */
    private static LoadOptions options(CommandFlags flags, Optional<OnePhase> only) {
        LoadOptions options = only.map(OnePhase::loadOptions).orElse(LoadOptions.RUN);
        Path adminConf = KubernetesPaths.standard().adminConf();
        boolean exists = new DiskFiles().exists(adminConf);
        boolean discovers = only.isEmpty()
                || flags.isSet(Flag.DISCOVERY_FILE)
                || flags.isSet(Flag.DISCOVERY_TOKEN)
                || flags.isSet(Flag.TOKEN)
                || flags.isSet(Flag.CONFIG);
        if (exists && (flags.isOn(Flag.CONTROL_PLANE) || !discovers)) {
            return options.withAdminConf(adminConf);
        }
        if (!discovers) {
            throw new UsageException(
                    "phase %s does not know which cluster to join"
                            .formatted(only.orElseThrow().name()),
                    "there is no %s, and no discovery flag was given".formatted(adminConf),
                    "run 'kjadm join phase control-plane-prepare all' first");
        }
        return options;
    }

    private static Workflow<JoinRun> workflow(Composition composition, KeyPairPool keys) {
        return phases(composition, keys).real(Failpoints.ofProcess());
    }

    private static JoinWorkflow phases(Composition composition, KeyPairPool keys) {
        return new JoinWorkflow(
                composition.ports().machine(),
                composition.stores(keys),
                composition.health(),
                composition.cluster(),
                composition.preflightHost(KubernetesPaths.standard()),
                composition.ports().probes());
    }
}
