package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.ConfigurationLoader;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.ReportingRunner;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.GoodHost;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A machine, a container runtime and an API server in memory, on which {@code init} runs. */
public final class InitLab {

    /** The configuration of its node; settings of the cluster may follow. */
    public static final String CP_1 = """
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: InitConfiguration
            localAPIEndpoint: {advertiseAddress: 192.0.2.10}
            nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
            ---
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: ClusterConfiguration
            kubernetesVersion: v1.36.2
            """;

    public final MemoryFiles files =
            new MemoryFiles().with("/proc/self/status", "Uid:\t0\t0\t0\t0\n");
    public final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl daemon-reload", "")
            .answering("systemctl stop kubelet", "")
            .answering("systemctl restart kubelet", "");
    public final MemoryRuntime runtime = new MemoryRuntime();
    public final MemoryKubeApi api = new MemoryKubeApi();
    public final VirtualWaiter waiter = new VirtualWaiter(Instant.parse("2026-11-20T10:00:00Z"));
    public final RecordingReporter out = new RecordingReporter();

    /** What all phases leave, by their configuration. */
    private static final Map<String, Initialized> LEFT = new ConcurrentHashMap<>();

    private record Initialized(InitLab lab, InitRun run) {}

    /** The kubelet has registered the first node, cp-1. */
    InitLab withNode() {
        api.with(new NodeBuilder()
                .withNewMetadata()
                .withName("cp-1")
                .addToLabels("kubernetes.io/hostname", "cp-1")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build());
        return this;
    }

    /**
     * As all phases but preflight leave it for a first node cp-1. They run once for a configuration:
     * their keys, certificates and manifests take most of the time of a test that begins behind
     * them.
     */
    public InitRun initialized(String yaml, boolean uploadCerts) {
        Initialized left = LEFT.computeIfAbsent(
                uploadCerts + yaml, configuration -> initialize(yaml, uploadCerts));
        files.with(left.lab().files);
        runner.with(left.lab().runner);
        runtime.with(left.lab().runtime);
        api.with(left.lab().api);
        out.with(left.lab().out);
        return left.run();
    }

    private static Initialized initialize(String yaml, boolean uploadCerts) {
        InitLab lab = new InitLab().withNode();
        InitRun run = lab.workflow()
                .run(
                        lab.start(load(yaml), uploadCerts),
                        Selection.allBut(List.of("preflight")),
                        lab.out);
        if (!lab.waiter.elapsed().isZero()) {
            throw new IllegalStateException("time passed: " + lab.waiter.elapsed());
        }
        return new Initialized(lab, run);
    }

    /** The configuration in a file's text, as {@code init --config} loads it. */
    public static LoadedInit load(String yaml) {
        return new ConfigurationLoader(new FakeHost(), warning -> {})
                .init(
                        Optional.of(ConfigurationFile.of("f", yaml)),
                        CommandFlags.none(),
                        LoadOptions.RUN);
    }

    /**
     * The start of a run with that configuration; its keys are of the kind that is made fastest.
     */
    public InitRun start(LoadedInit loaded, boolean uploadCerts) {
        KubernetesPaths paths =
                KubernetesPaths.withCertificates(loaded.cluster().certificatesDir());
        ControlPlaneNode node = new ControlPlaneNode(
                loaded.init().nodeRegistration(),
                loaded.init().localApiEndpoint(),
                loaded.cluster(),
                loaded.kubelet(),
                ControlPlaneNode.Places.of(paths, loaded.init().patchesDirectory()),
                loaded.init().timeouts(),
                waiter.now());
        InitOptions options = new InitOptions(
                uploadCerts, false, false, false, paths.adminConf(), Optional.empty(), List.of());
        return new InitRun(
                node,
                loaded.init(),
                loaded.kubeProxy(),
                options,
                false,
                loaded.init().certificateKey());
    }

    /** The phases, on this machine. */
    public Workflow<InitRun> workflow() {
        return workflow(files);
    }

    /** The phases, on this machine with those files. */
    Workflow<InitRun> workflow(HostFiles on) {
        return workflow(on, runner, runtime, access -> api, waiter);
    }

    /** The phases as a dry run has them. */
    public Workflow<InitRun> dryWorkflow() {
        return workflow(
                new OverlayFiles(files, out),
                new ReportingRunner(runner, out),
                new io.kjadm.core.cri.ReportingRuntimeConnector(runtime, out),
                KubeConnector.reporting(access -> api, out),
                new ReportingWaiter(waiter::now, out));
    }

    private Workflow<InitRun> workflow(
            HostFiles on,
            CommandRunner commands,
            RuntimeConnector runtimes,
            KubeConnector kube,
            Waiter clock) {
        Machine machine = new Machine(on, commands, runtimes, url -> "", clock, clock);
        return InitWorkflow.of(
                machine,
                NodeStores.on(
                        machine,
                        KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256),
                        "cp-1",
                        Map.of(),
                        out),
                new ComponentHealth(on, machine.health(), clock, out),
                new KubeClients(on, kube),
                GoodHost.of(on, commands, runtimes, clock));
    }

    /** Runs single phases one after the other. */
    public InitRun phases(InitRun start, String... names) {
        InitRun run = start;
        for (String name : names) {
            run = workflow().run(run, Selection.only(name), out);
        }
        return run;
    }

    /** Every file with its text. */
    public Map<Path, String> contents() {
        Map<Path, String> contents = new java.util.TreeMap<>();
        files.files().forEach(path -> contents.put(path, files.text(path.toString())));
        return contents;
    }
}
