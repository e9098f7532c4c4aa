package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.ConfigurationLoader;
import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.etcd.check.LabProbes;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.ReportingRunner;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.init.InitLab;
import io.kjadm.core.init.InitRun;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.net.FakeHost;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.GoodHost;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.DetachedJws;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A cluster that {@code init} made in memory, and a second machine beside it that joins as cp-2.
 */
public final class JoinLab {

    static final String TOKEN = "abcdef.0123456789abcdef";
    static final String ADDRESS = "192.0.2.12";
    public static final URI PEER = URI.create("https://" + ADDRESS + ":2380");
    static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    static final Path DATA = Path.of("/var/lib/etcd");
    static final Path NOTE = Path.of("/etc/kubernetes/tmp/kjadm-etcd-join");

    final InitLab first = new InitLab();
    public final MemoryKubeApi api = first.api;
    final InitRun cluster;
    public final MemoryFiles files =
            new MemoryFiles().with("/proc/self/status", "Uid:\t0\t0\t0\t0\n");
    public final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl daemon-reload", "")
            .answering("systemctl stop kubelet", "")
            .answering("systemctl restart kubelet", "");
    public final MemoryRuntime runtime = new MemoryRuntime();
    public final VirtualWaiter waiter = new VirtualWaiter(first.waiter.now());
    public final RecordingReporter out = new RecordingReporter();
    public final LabProbes probes = new LabProbes();
    /** What preflight told. */
    public SimulatedCluster etcd = SimulatedCluster.ofVoters(1);
    /** Whether it makes containers of manifests. */
    public boolean kubeletWorks = true;
    /** Whether it answers for itself. */
    public boolean kubeletAnswers = true;

    public Failpoints failpoints = Failpoints.none();
    /** In which the membership lock is renewed. */
    public Scheduler background = Scheduler.NEVER;

    private final Set<MemberId> started = new HashSet<>();

    public JoinLab() {
        this("");
    }

    /**
     * @param more lines of the cluster's configuration
     */
    public JoinLab(String more) {
        cluster = first.initialized("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.10}
                nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
                bootstrapTokens: [{token: %s}]
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                encryptionAlgorithm: ECDSA-P256
                controlPlaneEndpoint: cluster.example:6443
                %s""".formatted(TOKEN, more), true);
        sign(TOKEN);
        api.with(new PodBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("etcd-cp-1")
                .addToLabels("component", "etcd")
                .addToLabels("tier", "control-plane")
                .addToAnnotations(EtcdPod.CLIENT_URLS_ANNOTATION, "https://cp-1:2379")
                .endMetadata()
                .build());
        api.with(new NodeBuilder()
                .withNewMetadata()
                .withName("cp-2")
                .addToLabels("kubernetes.io/hostname", "cp-2")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build());
        waiter.eachTime(this::kubelet);
    }

    /** What the controller manager does with a token. */
    void sign(String token) {
        String[] parts = token.split("\\.");
        changeClusterInfo(data -> data.put(
                DetachedJws.dataKey(parts[0]),
                DetachedJws.sign(
                        parts[0], parts[1], data.get(ConfigurationMaps.CLUSTER_INFO_KEY))));
    }

    void changeClusterInfo(java.util.function.Consumer<Map<String, String>> change) {
        ConfigMap map = api.get(ConfigMap.class, "kube-public", ConfigurationMaps.CLUSTER_INFO)
                .orElseThrow();
        change.accept(map.getData());
        api.replace(map);
    }

    /** The pin of the cluster's CA. */
    String pin() {
        return CertificateInfo.parse(first.files.text("/etc/kubernetes/pki/ca.crt"))
                .pin()
                .format();
    }

    /** Runs what has a manifest: etcd leaves data behind and publishes its name. */
    private void kubelet() {
        if (!kubeletWorks || !files.exists(MANIFESTS.resolve("etcd.yaml"))) {
            return;
        }
        files.with("/var/lib/etcd/member/wal/0.wal", "w");
        // without a quorum nobody lists members, but a process is started all the same
        MemberId id = journal()
                .read()
                .flatMap(JoinEntry::memberId)
                .or(() -> own().map(Member::id))
                .orElseThrow();
        if (started.add(id)) {
            etcd.start(id, "cp-2");
        }
    }

    JournalFile journal() {
        return new JournalFile(files, NOTE.getParent());
    }

    /** What a run that died here has left. */
    void noted(JoinState state, MemberId member) {
        journal()
                .write(new JoinEntry(
                        state,
                        "earlier",
                        "c1",
                        "cp-2",
                        PEER,
                        waiter.now(),
                        List.of(),
                        Optional.of(member),
                        Optional.empty(),
                        0,
                        false));
    }

    /** This node's member as the cluster lists it. */
    public Optional<Member> own() {
        return etcd.members().stream()
                .filter(member -> member.peerUrls().contains(PEER))
                .findFirst();
    }

    JoinConfiguration config(boolean controlPlane) {
        return new ConfigurationLoader(new FakeHost(), warning -> {})
                .join(
                        Optional.of(ConfigurationFile.of(
                                "f",
                                """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: JoinConfiguration
                nodeRegistration: {name: cp-2, criSocket: "unix:///run/c.sock"}
                discovery:
                  bootstrapToken: {token: %s, apiServerEndpoint: "cluster.example:6443", caCertHashes: ["%s"]}
                """.formatted(TOKEN, pin())
                                        + (controlPlane
                                                ? """
                controlPlane:
                  localAPIEndpoint: {advertiseAddress: %s}
                  certificateKey: %s
                """.formatted(
                                                        ADDRESS,
                                                        cluster.certificateKey().orElseThrow())
                                                : ""))),
                        CommandFlags.none(),
                        Optional.empty(),
                        LoadOptions.RUN);
    }

    public JoinRun start() {
        return start(config(true));
    }

    public JoinRun start(JoinConfiguration config) {
        return start(config, files);
    }

    public JoinRun start(JoinConfiguration config, HostFiles on) {
        return JoinRun.start(config, new JoinOptions(List.of()), waiter.now(), unfinished(on));
    }

    /** As a dry run starts. */
    JoinRun startUntracked() {
        return JoinRun.start(
                config(true),
                new JoinOptions(List.of()),
                waiter.now(),
                UnfinishedJoin.untracked(files));
    }

    static UnfinishedJoin unfinished(HostFiles files) {
        return UnfinishedJoin.on(files, KubernetesPaths.standard());
    }

    /** The discovered cluster, for what needs a run that knows it. */
    JoinRun discovered() {
        return new Discoverer(files, new KubeClients(files, access -> api), waiter)
                .ensure(start(), out);
    }

    public JoinRun phases(JoinRun start, String... names) {
        JoinRun run = start;
        for (String name : names) {
            run = workflow().run(run, Selection.only(name), out);
        }
        return run;
    }

    Workflow<JoinRun> workflow() {
        return workflow(files, runner, runtime, access -> api, access -> etcd, waiter);
    }

    public Workflow<JoinRun> dryWorkflow() {
        return workflow(
                new OverlayFiles(files, out),
                new ReportingRunner(runner, out),
                new io.kjadm.core.cri.ReportingRuntimeConnector(runtime, out),
                KubeConnector.reporting(access -> api, out),
                ReportingEtcdCluster.connector(access -> etcd, out),
                new ReportingWaiter(waiter::now, out));
    }

    Workflow<JoinRun> workflow(
            HostFiles on,
            CommandRunner commands,
            RuntimeConnector runtimes,
            KubeConnector kube,
            EtcdConnector members,
            Waiter clock) {
        Machine machine = new Machine(
                on,
                commands,
                runtimes,
                url -> (url.getPath().equals("/healthz") ? kubeletAnswers : kubeletWorks)
                        ? ""
                        : url + ": connection refused",
                clock,
                waiter);
        KubeClients clients = new KubeClients(on, kube);
        return new JoinWorkflow(
                        machine,
                        NodeStores.on(
                                machine,
                                KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256),
                                "cp-2",
                                Map.of(),
                                out),
                        new ComponentHealth(on, url -> "", clock, out),
                        new ClusterClients(
                                clients,
                                new EtcdClients(on, clients, members, waiter),
                                new LeaseLocks(on, clock, background, new SplittableRandom(7))),
                        GoodHost.of(on, commands, runtimes, clock),
                        probes.ports(() -> etcd))
                .real(failpoints);
    }

    Map<Path, String> contents() {
        Map<Path, String> contents = new TreeMap<>();
        files.files().forEach(path -> contents.put(path, files.text(path.toString())));
        return contents;
    }
}
