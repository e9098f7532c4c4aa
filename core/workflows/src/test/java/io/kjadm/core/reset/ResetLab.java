package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.CriSockets;
import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.cri.ReportingRuntimeConnector;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.ReportingRunner;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.lock.VirtualBackground;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.net.ProxyEnvironment;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Control-plane node cp-1 of a stacked cluster of three, which is to be taken out of it. */
public final class ResetLab {

    static final Path DATA = Path.of("/var/lib/etcd");
    static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    static final Selection WHOLE = Selection.allBut(List.of());
    private static final Path TMP = Path.of("/etc/kubernetes/tmp");
    public static final Path ASIDE = TMP.resolve("kjadm-reset");
    /** Of a join that has not ended. */
    static final Path JOIN_NOTE = TMP.resolve("kjadm-etcd-join");

    static final CertificateAuthority CA = CertificateAuthority.create(
            "etcd-ca",
            KeyAlgorithm.ECDSA_P256,
            Validity.startingAt(new VirtualWaiter().now(), Duration.ofDays(90)));
    static final String NOTHING = "";
    /** Its admin.conf is empty. */
    static final String CONFIGURATION_UNREADABLE =
            "could not read the cluster configuration (kubeconfig /etc/kubernetes/admin.conf cannot"
                    + " be used: not a YAML object: the top level has to consist of keys and values):"
                    + " continuing with what this node knows";

    static final String ADMIN_CONF = """
            apiVersion: v1
            kind: Config
            clusters: [{name: k, cluster: {server: "https://192.0.2.10:6443"}}]
            contexts: [{name: c, context: {cluster: k, user: u}}]
            current-context: c
            users: [{name: u, user: {token: t}}]
            """;

    public final MemoryFiles files = new MemoryFiles()
            .with("/proc/self/status", "Uid:\t0\t0\t0\t0\n")
            .with("/proc/mounts", NOTHING);
    final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl stop kubelet", NOTHING)
            .answering("systemctl is-active kubelet", "active\n");
    final MemoryRuntime runtime = new MemoryRuntime();
    public final VirtualWaiter waiter = new VirtualWaiter();
    public final RecordingReporter out = new RecordingReporter();
    final List<EtcdAccess> accesses = new ArrayList<>();
    public SimulatedCluster etcd = SimulatedCluster.ofVoters(3);
    boolean reachable = true;
    /** Of this node's member. */
    private String name = "cp-1";

    Failpoints failpoints = Failpoints.none();
    MemoryKubeApi api = new MemoryKubeApi().down(Kind.UNREACHABLE);

    public ResetLab() {
        setUp();
        waiter.eachTime(this::kubelet);
    }

    /** The data on this node's disk is of that member of cluster {@code c1}. */
    void dataOf(long member) {
        files.with("/var/lib/etcd/member/wal/0.wal", WalText.of(member, 0xc1));
    }

    /** A cluster of so many instead, of which this node's member is one. */
    void voters(int count) {
        etcd = SimulatedCluster.ofVoters(count);
        etcd.local(name);
    }

    /** Makes the machine a control-plane node. */
    void setUp() {
        files.with(
                        "/var/lib/kubelet/instance-config.yaml",
                        "containerRuntimeEndpoint: unix:///run/c.sock\n")
                .with("/etc/kubernetes/admin.conf", NOTHING)
                .with("/etc/kubernetes/pki/etcd/ca.crt", CA.certificatePem())
                .with("/etc/kubernetes/pki/etcd/ca.key", CA.keyPem().orElseThrow())
                .with("/var/lib/etcd/member/wal/0.wal", "w")
                .with("/var/lib/etcd/member/snap/db", "d");
        staticPod(
                "kube-apiserver",
                "--advertise-address=192.0.2.10",
                "--etcd-servers=https://127.0.0.1:2379");
        staticPod("kube-controller-manager");
        staticPod("kube-scheduler");
        etcdPod("cp-1");
        runs("etcd");
        runs("kube-apiserver");
        IssuedCertificate client = CA.issue(
                CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT)
                        .requestFor(NOTHING, SubjectNames.none()),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(waiter.now(), Duration.ofDays(1)));
        files.with("/etc/kubernetes/pki/etcd/healthcheck-client.crt", client.certificatePem())
                .with("/etc/kubernetes/pki/etcd/healthcheck-client.key", client.keyPem());
    }

    void staticPod(String name, String... flags) {
        files.with("/etc/kubernetes/manifests/%s.yaml".formatted(name), pod(name, NOTHING, flags));
    }

    public void etcdPod(String member, String... flags) {
        name = member;
        etcd.local(member);
        files.with(
                "/etc/kubernetes/manifests/etcd.yaml",
                pod(
                        "etcd",
                        """
                  volumes:
                  - hostPath: {path: /etc/kubernetes/pki/etcd}
                    name: etcd-certs
                  - hostPath: {path: /var/lib/etcd}
                    name: etcd-data
                """,
                        more(
                                List.of(flags),
                                "--name=" + member,
                                "--initial-advertise-peer-urls=https://%s:2380".formatted(member),
                                "--advertise-client-urls=https://%s:2379".formatted(member),
                                "--initial-cluster=cp-2=https://cp-2:2380,%s=https://%s:2380"
                                        .formatted(member, member),
                                "--initial-cluster-state=existing")));
    }

    private static String[] more(List<String> extra, String... flags) {
        List<String> all = new ArrayList<>(List.of(flags));
        all.addAll(extra);
        return all.toArray(String[]::new);
    }

    static String pod(String name, String volumes, String... flags) {
        StringBuilder text = new StringBuilder("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  containers:
                  - name: %s
                    command:
                    - %s
                """.formatted(name, name, name));
        for (String flag : flags) {
            text.append("    - ").append(flag).append('\n');
        }
        return text + volumes;
    }

    void runs(String name) {
        runtime.containers.put(
                name,
                new Container(
                        name,
                        "s",
                        name,
                        0,
                        true,
                        Instant.EPOCH,
                        Map.of("io.kubernetes.pod.namespace", "kube-system")));
    }

    /** Stops whatever has no manifest any more. */
    private void kubelet() {
        List.copyOf(runtime.containers.keySet()).stream()
                .filter(pod -> !files.exists(MANIFESTS.resolve(pod + ".yaml")))
                .forEach(stopped -> runtime.stopContainer(stopped, Duration.ZERO));
        if (!runtime.containers.get("etcd").running()) {
            etcdRuns();
        }
    }

    EtcdConnector connector() {
        return access -> {
            accesses.add(access);
            if (!reachable) {
                throw EtcdCallException.refused(
                        RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused", "call");
            }
            return etcd;
        };
    }

    KubeClients clients(HostFiles on) {
        return new KubeClients(on, access -> api);
    }

    /**
     * The API server is reached through a load balancer, so it answers also when this node's is
     * stopped.
     */
    void apiServes() {
        api = new MemoryKubeApi();
        files.with("/etc/kubernetes/admin.conf", ADMIN_CONF);
    }

    /** With a {@code kubeadm-config} that says so besides the version. */
    void configured(String more) {
        apiServes();
        api.with(ConfigurationMaps.kubeadmConfig("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                """ + more));
    }

    public static ResetConfiguration config(boolean force, boolean lastMember) {
        ResetConfiguration given = ResetConfiguration.defaults();
        return new ResetConfiguration(
                false,
                given.certificatesDir(),
                given.criSocket(),
                false,
                force,
                lastMember,
                List.of(),
                List.of(),
                List.of(),
                Timeouts.DEFAULTS);
    }

    Workflow<ResetRun> workflow(Confirmation confirmation) {
        return workflow(files, connector(), confirmation);
    }

    private Workflow<ResetRun> workflow(
            HostFiles disk, EtcdConnector etcdConnector, Confirmation confirmation) {
        return ResetWorkflow.of(
                machine(disk, runner, runtime, waiter),
                cluster(disk, etcdConnector, locks()),
                host(),
                confirmation,
                failpoints);
    }

    /** Nothing of a reset asks a health endpoint. */
    private static Machine machine(
            HostFiles disk, CommandRunner programs, RuntimeConnector runtimes, Waiter clock) {
        return new Machine(
                disk,
                programs,
                runtimes,
                url -> {
                    throw new AssertionError(url + " was asked");
                },
                clock,
                clock);
    }

    private ClusterClients cluster(HostFiles disk, EtcdConnector members, LeaseLocks locks) {
        KubeClients kube = clients(disk);
        return new ClusterClients(kube, new EtcdClients(disk, kube, members, waiter), locks);
    }

    LeaseLocks locks() {
        return new LeaseLocks(
                files, waiter, new VirtualBackground(waiter), new SplittableRandom(7));
    }

    PreflightHost host() {
        return new PreflightHost(
                files,
                runner,
                runtime,
                new PreflightHost.Network(
                        (address, port) -> Optional.empty(),
                        name -> List.of(),
                        new ProxyEnvironment(Map.of())),
                waiter,
                KubernetesPaths.standard());
    }

    public ResetRun start(ResetConfiguration config) {
        return start(config, files, CriSockets::detect);
    }

    /** With another way to look for a container runtime. */
    public ResetRun start(ResetConfiguration config, Function<CriSockets, String> search) {
        return start(config, files, search);
    }

    private ResetRun start(
            ResetConfiguration config, HostFiles disk, Function<CriSockets, String> search) {
        return new ResetRunLoader(disk, clients(disk), runtime, waiter)
                .start(config, Path.of("/etc/kubernetes/admin.conf"), search, out);
    }

    ResetRun run(ResetConfiguration config) {
        return workflow(Confirmation.GIVEN).run(start(config), WHOLE, out);
    }

    ResetRun reset() {
        return run(config(false, false));
    }

    ResetRun forced() {
        return run(config(true, false));
    }

    /** With {@code --force-last-member}. */
    ResetRun ended() {
        return run(config(false, true));
    }

    ResetRun dryRun(ResetConfiguration config) {
        HostFiles overlay = new OverlayFiles(files, out);
        CommandRunner reporting = new ReportingRunner(runner, out);
        ReportingWaiter dry = new ReportingWaiter(waiter::now, out);
        Workflow<ResetRun> workflow = ResetWorkflow.of(
                machine(overlay, reporting, new ReportingRuntimeConnector(runtime, out), dry),
                cluster(
                        overlay,
                        ReportingEtcdCluster.connector(connector(), out),
                        new LeaseLocks(overlay, dry, Scheduler.NEVER, new SplittableRandom(7))),
                host(),
                Confirmation.GIVEN,
                Failpoints.none());
        ResetRun start = new ResetRunLoader(overlay, clients(overlay), runtime, dry)
                .start(config, Path.of("/etc/kubernetes/admin.conf"), CriSockets::detect, out);
        return workflow.run(start, WHOLE, out);
    }

    /**
     * Runs a reset on a machine whose power goes at a step, and comes back later; whether it did.
     */
    boolean cut(ResetConfiguration config, PowerCut.Socket socket) {
        HostFiles disk = socket.plug(HostFiles.class, files);
        EtcdCluster cluster = socket.plug(EtcdCluster.class, etcd);
        try {
            workflow(
                            disk,
                            access -> {
                                connector().connect(access);
                                return cluster;
                            },
                            Confirmation.GIVEN)
                    .run(start(config, disk, CriSockets::detect), WHOLE, out);
        } catch (PowerCut e) {
            assertTrue(e.at(socket));
        }
        boot();
        return socket.wasCut();
    }

    /** Whatever has a manifest runs, and nothing else. */
    void boot() {
        for (String pod : List.of("etcd", "kube-apiserver")) {
            if (files.exists(MANIFESTS.resolve(pod + ".yaml"))) {
                runs(pod);
            } else {
                runtime.stopContainer(pod, Duration.ZERO);
            }
        }
        etcdRuns();
    }

    /** A member runs where its container does; one that was removed does not come up. */
    private void etcdRuns() {
        boolean runs = runtime.containers.get("etcd").running();
        own().ifPresent(id -> {
            if (runs) {
                etcd.start(id, name);
            } else {
                etcd.stop(id);
            }
        });
    }

    /** This node's started member, as long as it is listed. */
    Optional<MemberId> own() {
        try {
            return Optional.of(etcd.id(name));
        } catch (NoSuchElementException notListed) {
            return Optional.empty();
        }
    }

    KjadmException refused() {
        return refused("remove-etcd-member", config(false, false));
    }

    /** Nothing is changed by a run that ends in this phase; what it says. */
    KjadmException refused(String phase, ResetConfiguration config) {
        Map<Path, String> before = contents();
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> run(config));
        assertEquals(phase, failure.phase());
        assertEquals(before, contents(), "nothing was changed");
        assertTrue(runner.commands().stream().noneMatch("systemctl stop kubelet"::equals));
        return assertInstanceOf(KjadmException.class, failure.getCause());
    }

    Map<Path, String> contents() {
        Map<Path, String> contents = new TreeMap<>();
        files.files().forEach(path -> contents.put(path, files.text(path.toString())));
        return contents;
    }

    boolean listed(String member) {
        return etcd.members().stream().anyMatch(other -> other.name().equals(member));
    }

    /** What was moved aside or saved in {@code /var/lib}, without the time in the names. */
    Set<String> keptIn(String directory) {
        return files.files().stream()
                .map(Path::toString)
                .filter(path -> path.startsWith(directory))
                .map(path -> path.replaceAll("\\d{8}-\\d{6}", "TIME"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Notes what an earlier run would have. */
    public void noted(ResetState state, String memberId, String clusterId) {
        files.with(ASIDE + "/journal.json", """
                {"state": "%s", "criSocket": "unix:///run/c.sock", "at": "2026-02-03T04:05:00Z",
                 "memberId": "%s", "clusterId": "%s"}
                """.formatted(state, memberId, clusterId));
    }

    /** Instead a join of cp-4 died while its add was being sent: no ID, no manifest, no data. */
    void diedWhileAdding(String cluster) {
        died(JoinState.ADDING, cluster, Optional.empty());
    }

    /** The same of a join that got that far. */
    void died(JoinState state, String cluster, Optional<MemberId> member) {
        for (String pod :
                List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")) {
            files.delete(MANIFESTS.resolve(pod + ".yaml"));
            runtime.stopContainer(pod, Duration.ZERO);
        }
        files.deleteContents(DATA);
        etcd.local("");
        new JournalFile(files, TMP)
                .write(new JoinEntry(
                        state,
                        "earlier",
                        cluster,
                        "cp-4",
                        SimulatedCluster.peerUrl("cp-4"),
                        waiter.now(),
                        etcd.members(),
                        member,
                        Optional.empty(),
                        0,
                        false));
    }

    /** The commands that deleted users and groups. */
    List<String> deletions() {
        return runner.commands().stream()
                .filter(command -> command.matches("(user|group)del .*"))
                .toList();
    }

    void assertClean() {
        assertEquals(List.of(), files.list(DATA));
        assertEquals(List.of(), files.list(MANIFESTS));
        assertFalse(files.exists(ASIDE));
        assertFalse(files.exists(Path.of("/etc/kubernetes/admin.conf")));
        assertFalse(runtime.containers.get("etcd").running());
    }
}
