package io.kjadm.cli.kube;

import io.kjadm.cli.command.FeatureGateHelp;
import io.kjadm.cli.command.Flags;
import io.kjadm.cli.command.OnePhase;
import io.kjadm.cli.command.WorkflowCommand;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.kube.RunSubject.JoinCommands;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ExternalEtcdMembers;
import io.kjadm.core.config.InitConfiguration;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.init.ExternalAuthorities;
import io.kjadm.core.init.InitOptions;
import io.kjadm.core.init.InitRun;
import io.kjadm.core.init.InitWorkflow;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm init}: makes the first control-plane node. */
public record InitCommand(Console console, Function<Console, Reporter> reporters) {

    /** Certificates, service account keys and kubeconfigs of a first node. */
    private static final int KEYS = 16;

    /** The keys that the phases make which make several. */
    private static final Map<String, Integer> KEYS_OF_PHASE = Map.of("certs", 11, "kubeconfig", 5);

    public CommandLine build(boolean withPhases) {
        return new WorkflowCommand<InitRun>(console, Flags.INIT_PHASES, command -> {}, this::run)
                .build(
                        new WorkflowCommand.Text(
                                        "init",
                                        "Run this command in order to set up the Kubernetes control plane")
                                .example(
                                        "Set up the first node of a highly available control plane",
                                        "--control-plane-endpoint api.example.com:6443 --upload-certs")
                                .example(
                                        "Use a configuration file ('kjadm config print init-defaults' prints one)",
                                        "--config config.yaml")
                                .example("Show what would be done", "--dry-run"),
                        Flags.INIT,
                        withPhases,
                        () -> workflow(
                                new Composition(reporters.apply(console), true),
                                KeyPairPool.onDemand(KeyAlgorithm.DEFAULT),
                                KubernetesPaths.standard(),
                                Optional.empty()));
    }

    private void run(CommandFlags flags, List<String> words, Optional<OnePhase> only) {
        RunOutput output = new RunOutput("init", flags, console(flags), reporters);
        output.around(() -> run(flags, only, output));
    }

    private void run(CommandFlags flags, Optional<OnePhase> only, RunOutput output) {
        Reporter out = output.out();
        flags.text(Flag.FEATURE_GATES).ifPresent(FeatureGateHelp::requireNoSlip);
        KeyPairPool ahead = keysAhead(only);
        LoadedInit loaded = out.during(
                "init",
                "Reading the configuration",
                () -> Composition.loader(out)
                        .init(
                                Composition.configurationFile(flags),
                                flags,
                                only.map(OnePhase::loadOptions).orElse(LoadOptions.RUN)));
        Optional<ExternalEtcdFile> externalEtcd = flags.path(Flag.EXTERNAL_ETCD)
                .map(file -> ExternalEtcdFile.read(new DiskFiles(), file));
        ClusterConfiguration cluster = loaded.cluster();
        KubernetesPaths paths = KubernetesPaths.withCertificates(cluster.certificatesDir());
        SettingsThatStop.warn(loaded, only.map(OnePhase::name), out::warn);
        output.dryRun(loaded.init().dryRun());
        output.about(node(loaded.init(), cluster));
        try (Composition composition = new Composition(
                        out, output.noted(ports(loaded.init(), out)), output.timings())
                .changing(ChangingCommand.INIT)) {
            KeyAlgorithm algorithm =
                    KeyAlgorithm.fromName(cluster.encryptionAlgorithm().text());
            KeyPairPool keys = ahead.changedTo(algorithm);
            Workflow<InitRun> workflow = workflow(composition, keys, paths, externalEtcd);
            Selection selection = only.map(OnePhase::selection)
                    .orElseGet(() -> Selection.allBut(loaded.init().skipPhases()));
            workflow.selected(selection);
            LoadedInit complete = externalEtcd
                    .map(etcd -> loaded.withCluster(new ExternalEtcdMembers(
                                    composition.ports().servers().etcd(), out)
                            .in(cluster, etcd)))
                    .orElse(loaded);
            InitRun run = start(composition, keys, complete, paths, externalEtcd, flags);
            if (only.isEmpty()) {
                out.step("init", "Using Kubernetes version: " + cluster.kubernetesVersion());
            }
            HostFiles files = composition.ports().observed();
            output.following(workflow, known -> subject(known, files)).run(run, selection, out);
        }
    }

    /**
     * Keys of the usual kind, started before the configuration is read: that takes a third of the
     * time of a phase. On a machine that has its files, none.
     */
    private static KeyPairPool keysAhead(Optional<OnePhase> only) {
        int wanted =
                only.map(phase -> KEYS_OF_PHASE.getOrDefault(phase.name(), 0)).orElse(KEYS);
        KubernetesPaths paths = KubernetesPaths.standard();
        boolean made = new DiskFiles().exists(paths.adminConf());
        return wanted == 0 || made
                ? KeyPairPool.onDemand(KeyAlgorithm.DEFAULT)
                : KeyPairPool.started(KeyAlgorithm.DEFAULT, wanted);
    }

    /** Before there is a cluster, what answers at its address is none of it. */
    private static Ports ports(InitConfiguration init, Reporter out) {
        return init.dryRun() ? Ports.alone(out, KubeConnector.absent()) : Ports.real(out);
    }

    /** Who prints a manifest wants to pipe it into kubectl. */
    private Console console(CommandFlags flags) {
        return flags.isOn(Flag.PRINT_MANIFEST) ? console.withResultsAlone() : console;
    }

    private static RunSubject node(InitConfiguration init, ClusterConfiguration cluster) {
        return RunSubject.node(
                init.nodeRegistration().name(), true, Optional.of(cluster.kubernetesVersion()));
    }

    private static RunSubject subject(InitRun run, HostFiles files) {
        return node(run.config(), run.node().cluster())
                .withEtcd(() -> run.config().dryRun()
                        ? Optional.empty()
                        : RunSubject.member(files, run.node().cluster()))
                .withJoinCommands(run.joinCommands().stream()
                        .map(line -> JoinCommands.of(line, run.takesControlPlanes()))
                        .toList());
    }

    /** The start of a run; files of an external CA are checked. */
    static InitRun start(
            Composition composition,
            KeyPairPool keys,
            LoadedInit loaded,
            KubernetesPaths paths,
            Optional<ExternalEtcdFile> externalEtcd,
            CommandFlags flags) {
        InitConfiguration init = loaded.init();
        Path kubeconfigDir =
                flags.text(Flag.KUBECONFIG_DIR).map(Path::of).orElse(paths.kubernetesDir());
        ControlPlaneNode node = new ControlPlaneNode(
                init.nodeRegistration(),
                init.localApiEndpoint(),
                loaded.cluster(),
                loaded.kubelet(),
                new ControlPlaneNode.Places(paths, kubeconfigDir, init.patchesDirectory()),
                init.timeouts(),
                composition.ports().waiter().now());
        NodeStores stores = composition.stores(keys);
        boolean external = new ExternalAuthorities(
                        stores.certificates(),
                        stores.kubeconfigs(),
                        composition.ports().files())
                .check(node, flags.isOn(Flag.UPLOAD_CERTS));
        InitOptions options = new InitOptions(
                flags.isOn(Flag.UPLOAD_CERTS),
                flags.isOn(Flag.SKIP_TOKEN_PRINT),
                flags.isOn(Flag.SKIP_CERTIFICATE_KEY_PRINT),
                flags.isOn(Flag.PRINT_MANIFEST),
                flags.text(Flag.KUBECONFIG)
                        .map(Path::of)
                        .orElse(kubeconfigDir.resolve("admin.conf")),
                externalEtcd,
                init.nodeRegistration().ignorePreflightErrors());
        return new InitRun(
                node, init, loaded.kubeProxy(), options, external, init.certificateKey());
    }

    /** The phases of init, wired. */
    static Workflow<InitRun> workflow(
            Composition composition,
            KeyPairPool keys,
            KubernetesPaths paths,
            Optional<ExternalEtcdFile> externalEtcd) {
        // preflight asks that etcd with a certificate that is only put here after it
        HostFiles seen = externalEtcd
                .map(etcd -> {
                    HostFiles overlay =
                            new OverlayFiles(composition.ports().observed(), new SilentReporter());
                    etcd.install(overlay, paths);
                    return overlay;
                })
                .orElseGet(composition.ports()::observed);
        return InitWorkflow.of(
                composition.ports().machine(),
                composition.stores(keys),
                composition.health(),
                composition.clients(),
                composition.preflightHost(paths, seen));
    }
}
