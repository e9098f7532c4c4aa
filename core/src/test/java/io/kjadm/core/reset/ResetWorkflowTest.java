package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.JournalFile;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.config.Timeouts;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ReportingEtcdConnector;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.ReportingRunner;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.host.Services;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.lock.Background;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.VirtualBackground;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.PreflightHost;
import io.kjadm.core.preflight.ProxyEnvironment;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
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
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Control-plane node cp-1 of a stacked cluster is taken out of it. */
class ResetWorkflowTest {

    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    private static final Path ASIDE = Path.of("/etc/kubernetes/tmp/kjadm-reset");
    private static final CertificateAuthority CA = CertificateAuthority.create("etcd-ca",
            KeyAlgorithm.ECDSA_P256, Validity.startingAt(new VirtualWaiter().now(), Duration.ofDays(90)));
    private static final String NOTHING = "";
    private static final String ADMIN_CONF = """
            apiVersion: v1
            kind: Config
            clusters: [{name: k, cluster: {server: "https://192.0.2.10:6443"}}]
            contexts: [{name: c, context: {cluster: k, user: u}}]
            current-context: c
            users: [{name: u, user: {token: t}}]
            """;

    private final MemoryFiles files = new MemoryFiles()
            .with("/proc/self/status", "Uid:\t0\t0\t0\t0\n")
            .with("/proc/mounts", NOTHING)
            .with("/var/lib/kubelet/instance-config.yaml", "containerRuntimeEndpoint: unix:///run/c.sock\n")
            .with("/etc/kubernetes/admin.conf", NOTHING)
            .with("/etc/kubernetes/pki/etcd/ca.crt", CA.certificatePem())
            .with("/etc/kubernetes/pki/etcd/ca.key", CA.keyPem().orElseThrow())
            .with("/var/lib/etcd/member/wal/0.wal", "w")
            .with("/var/lib/etcd/member/snap/db", "d");
    private final ScriptedRunner runner = new ScriptedRunner().with("systemctl")
            .answering("systemctl stop kubelet", NOTHING)
            .answering("systemctl is-active kubelet", "active\n");
    private final MemoryRuntime runtime = new MemoryRuntime();
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final List<EtcdAccess> accesses = new ArrayList<>();
    private SimulatedCluster etcd = SimulatedCluster.ofVoters(3);
    private boolean reachable = true;
    private MemoryKubeApi api = new MemoryKubeApi().down(Kind.UNREACHABLE);

    ResetWorkflowTest() {
        staticPod("kube-apiserver", "--advertise-address=192.0.2.10", "--etcd-servers=https://127.0.0.1:2379");
        staticPod("kube-controller-manager");
        staticPod("kube-scheduler");
        etcdPod("cp-1");
        runs("etcd");
        runs("kube-apiserver");
        IssuedCertificate client = CA.issue(
                CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT).requestFor(NOTHING, SubjectNames.none()),
                KeyAlgorithm.ECDSA_P256, Validity.startingAt(waiter.now(), Duration.ofDays(1)));
        files.with("/etc/kubernetes/pki/etcd/healthcheck-client.crt", client.certificatePem())
                .with("/etc/kubernetes/pki/etcd/healthcheck-client.key", client.keyPem());
        waiter.eachTime(this::kubelet);
    }

    private void staticPod(String name, String... flags) {
        files.with("/etc/kubernetes/manifests/%s.yaml".formatted(name), pod(name, NOTHING, flags));
    }

    private void etcdPod(String member, String... flags) {
        files.with("/etc/kubernetes/manifests/etcd.yaml", pod("etcd", """
                  volumes:
                  - hostPath: {path: /etc/kubernetes/pki/etcd}
                    name: etcd-certs
                  - hostPath: {path: /var/lib/etcd}
                    name: etcd-data
                """, more(List.of(flags),
                "--name=" + member,
                "--initial-advertise-peer-urls=https://%s:2380".formatted(member),
                "--advertise-client-urls=https://%s:2379".formatted(member),
                "--initial-cluster=cp-2=https://cp-2:2380,%s=https://%s:2380".formatted(member, member),
                "--initial-cluster-state=existing")));
    }

    private static String[] more(List<String> extra, String... flags) {
        List<String> all = new ArrayList<>(List.of(flags));
        all.addAll(extra);
        return all.toArray(String[]::new);
    }

    private static String pod(String name, String volumes, String... flags) {
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

    private void runs(String name) {
        runtime.containers.put(name, new Container(name, "s", name, 0, true, Instant.EPOCH,
                Map.of("io.kubernetes.pod.namespace", "kube-system")));
    }

    /** Stops whatever has no manifest any more. */
    private void kubelet() {
        List.copyOf(runtime.containers.keySet()).stream()
                .filter(name -> !files.exists(MANIFESTS.resolve(name + ".yaml")))
                .forEach(name -> runtime.stopContainer(name, Duration.ZERO));
    }

    private EtcdConnector connector() {
        return access -> {
            accesses.add(access);
            if (!reachable) {
                throw EtcdCallException.refused(RpcKind.READ, RpcCode.UNAVAILABLE, "Connection refused", "call");
            }
            return etcd;
        };
    }

    private KubeClients clients(HostFiles on) {
        return new KubeClients(on, access -> api);
    }

    /** The API server is reached through a load balancer, so it answers also when this node's is stopped. */
    private void apiServes() {
        api = new MemoryKubeApi();
        files.with("/etc/kubernetes/admin.conf", ADMIN_CONF);
    }

    private static ResetConfiguration config(boolean force) {
        ResetConfiguration given = ResetConfiguration.defaults();
        return new ResetConfiguration(false, given.certificatesDir(), given.criSocket(), false, force,
                List.of(), List.of(), List.of(), Timeouts.DEFAULTS);
    }

    private Workflow<ResetRun> workflow(Confirmation confirmation) {
        return ResetWorkflow.of(new ResetWorkflow.Tools(files, runner, Services.of(runner), runtime, waiter,
                clients(files), connector(), locks(), confirmation, host(), line -> { }));
    }

    private LeaseLocks locks() {
        return new LeaseLocks(files, waiter, new VirtualBackground(waiter), new SplittableRandom(7));
    }

    private PreflightHost host() {
        return new PreflightHost(files, runner, runtime, port -> Optional.empty(), name -> List.of(),
                new ProxyEnvironment(Map.of()), waiter, KubernetesPaths.withCertificates(KubernetesPaths.CERTIFICATES_DIR));
    }

    private ResetRun start(boolean force) {
        return new ResetSources(files, clients(files), runtime, waiter)
                .start(config(force), Path.of("/etc/kubernetes/admin.conf"), out);
    }

    private ResetRun reset() {
        return workflow(Confirmation.GIVEN).run(start(false), Selection.allBut(List.of()), out);
    }

    private ResetRun forced() {
        return workflow(Confirmation.GIVEN).run(start(true), Selection.allBut(List.of()), out);
    }

    private KjadmException refused() {
        Map<Path, String> before = contents();
        PhaseFailure failure = assertThrows(PhaseFailure.class, this::reset);
        assertEquals("remove-etcd-member", failure.phase());
        assertEquals(before, contents(), "nothing was changed");
        assertTrue(runner.commands().stream().noneMatch("systemctl stop kubelet"::equals));
        return assertInstanceOf(KjadmException.class, failure.getCause());
    }

    private Map<Path, String> contents() {
        Map<Path, String> contents = new TreeMap<>();
        files.files().forEach(path -> contents.put(path, files.text(path.toString())));
        return contents;
    }

    private boolean listed(String name) {
        return etcd.members().stream().anyMatch(member -> member.name().equals(name));
    }

    private void assertClean() {
        assertEquals(List.of(), files.list(DATA));
        assertEquals(List.of(), files.list(MANIFESTS));
        assertFalse(files.exists(ASIDE));
        assertFalse(files.exists(Path.of("/etc/kubernetes/admin.conf")));
        assertFalse(runtime.containers.get("etcd").running());
    }

    @Test
    void theLeaderHandsOverLeavesAndItsNodeIsClean() {
        ResetRun done = reset();
        done.conclude();
        assertEquals(List.of("moveLeader a002", "remove a001"),
                etcd.changes().stream().map(change -> change.replaceAll("000000000000", NOTHING)).toList());
        assertFalse(listed("cp-1"));
        assertTrue(etcd.writable());
        assertClean();
    }

    @Test
    void theMemberLeavesBeforeItStopsAndStopsBeforeItsDataGoes() {
        List<String> order = new ArrayList<>();
        waiter.eachTime(() -> order.add("%s %s %s".formatted(listed("cp-1") ? "listed" : "left",
                runtime.containers.get("etcd").running() ? "runs" : "stopped",
                files.exists(DATA.resolve("member")) ? "data" : "wiped")));
        reset();
        order.forEach(moment -> {
            assertFalse(moment.equals("listed stopped data"), order.toString());
            assertFalse(moment.endsWith("runs wiped"), order.toString());
            assertFalse(moment.startsWith("listed") && moment.endsWith("wiped"), order.toString());
        });
        assertTrue(order.contains("left stopped data"), order.toString());
        assertClean();
    }

    @Test
    void aFollowerLeaves() {
        etcdPod("cp-2");
        reset().conclude();
        assertFalse(listed("cp-2"));
        assertClean();
    }

    @Test
    void aMemberThatTheOthersNeedStaysAndNothingIsChanged() {
        etcd.stop(etcd.id("cp-3"));
        KjadmException refused = refused();
        assertTrue(refused.why().contains("cp-3"), refused.why());
        assertTrue(listed("cp-1"));
    }

    @Test
    void forceDoesNotOverruleTheQuorum() {
        etcd.stop(etcd.id("cp-3"));
        assertThrows(PhaseFailure.class, this::forced);
        assertTrue(listed("cp-1"));
        assertTrue(files.exists(MANIFESTS.resolve("etcd.yaml")));
    }

    @Test
    void anElectionIsWaitedFor() {
        etcd.stop(etcd.id("cp-3"));
        waiter.after(Duration.ofSeconds(5), () -> etcd.start(etcd.id("cp-3"), "cp-3"));
        reset().conclude();
        assertFalse(listed("cp-1"));
    }

    @Test
    void ofTwoOneLeaves() {
        etcd = SimulatedCluster.ofVoters(2);
        reset().conclude();
        assertFalse(listed("cp-1"));
        assertTrue(etcd.writable());
    }

    @Test
    void ofTwoWithTheOtherDownNobodyCanLeave() {
        etcd = SimulatedCluster.ofVoters(2);
        etcd.stop(etcd.id("cp-2"));
        assertTrue(refused().next().contains("--force"));
    }

    @Test
    void theLastMemberGoesWithAWarning() {
        etcd = SimulatedCluster.ofVoters(1);
        reset().conclude();
        assertEquals(List.of(), etcd.changes());
        assertTrue(out.warnings().stream().anyMatch(line -> line.contains("ends the cluster")), out.warnings().toString());
        assertClean();
    }

    @Test
    void aMemberThatIsNotListedNeedsNoRemoval() {
        etcd.removeByOther(etcd.id("cp-1"));
        reset().conclude();
        assertEquals(List.of(), etcd.changes());
        assertClean();
    }

    @Test
    void aLearnerOfOursLeavesToo() {
        MemberId learner = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        etcdPod("cp-4");
        new JournalFile(files, Path.of("/etc/kubernetes/tmp")).write(new JoinEntry(JoinState.ADDED, "earlier", "c1", "cp-4",
                SimulatedCluster.peerUrl("cp-4"), waiter.now(), List.of(), Optional.of(learner), Optional.empty(), 0, false));
        reset().conclude();
        assertEquals(3, etcd.members().size());
        assertFalse(files.exists(Path.of("/etc/kubernetes/tmp/kjadm-etcd-join")));
        assertClean();
    }

    @Test
    void theRunningMemberIsBelievedMoreThanItsManifest() {
        etcdPod("cp-1", "--initial-advertise-peer-urls=https://elsewhere:2380");
        reset().conclude();
        assertFalse(listed("cp-1"));
    }

    @Test
    void aNamesakeUnderAnotherUrlIsNotTakenForGone() {
        etcdPod("cp-1", "--initial-advertise-peer-urls=https://elsewhere:2380",
                "--advertise-client-urls=https://elsewhere:2379");
        KjadmException refused = refused();
        assertTrue(refused.what().contains("named cp-1"), refused.what());
    }

    @Test
    void aRefusalByEtcdPutsTheManifestsBack() {
        waiter.eachTime(() -> etcd.next(SimulatedCluster.Fault.UNHEALTHY));
        etcd.next(SimulatedCluster.Fault.UNHEALTHY);
        KjadmException refused = refused();
        assertTrue(refused.why().contains("unhealthy cluster"), refused.why());
        assertTrue(listed("cp-1"));
    }

    @Test
    void aLostReplyIsReadBack() {
        etcdPod("cp-2");
        etcd.next(SimulatedCluster.Fault.REPLY_LOST);
        reset().conclude();
        assertFalse(listed("cp-2"));
        assertEquals(1, etcd.changes().size());
    }

    @Test
    void aLateRemovalIsWaitedFor() {
        etcdPod("cp-2");
        etcd.next(SimulatedCluster.Fault.APPLIED_LATE);
        waiter.eachTime(etcd::tick);
        reset().conclude();
        assertFalse(listed("cp-2"));
        assertEquals(1, etcd.changes().size(), "never sent twice before it is read back");
    }

    @Test
    void anEtcdThatCannotBeReachedKeepsEverything() {
        reachable = false;
        assertTrue(refused().next().contains("--force"));
    }

    @Test
    void forceKeepsTheDataOfAMemberThatMayBeListed() {
        reachable = false;
        ResetRun done = forced();
        assertThrows(ClusterException.class, done::conclude);
        assertInstanceOf(EtcdOutcome.Kept.class, done.outcome().orElseThrow());
        assertTrue(files.exists(Path.of("/var/lib/etcd.kept-20260203-040506/wal/0.wal")), files.files().toString());
        assertClean();
    }

    @Test
    void dataThatCannotBeMovedStaysInPlace() {
        reachable = false;
        files.refusing("/var/lib/etcd.kept-20260203-040506", "Invalid cross-device link");
        ResetRun done = forced();
        ClusterException failure = assertThrows(ClusterException.class, done::conclude);
        assertTrue(failure.why().contains("stays in /var/lib/etcd/member"), failure.why());
        assertTrue(files.exists(DATA.resolve("member/wal/0.wal")));
    }

    @Test
    void aFounderThatNeverStartedHasNoClusterToLeave() {
        reachable = false;
        files.deleteContents(DATA);
        etcdPod("cp-1", "--initial-cluster-state=new");
        reset().conclude();
        assertClean();
    }

    @Test
    void dataIsKeptWhileEtcdMayStillRun() {
        runtime.refusals.put("etcd", 1000);
        waiter.eachTime(() -> runs("etcd"));
        ResetRun done = reset();
        assertThrows(ClusterException.class, done::conclude);
        assertFalse(listed("cp-1"));
        assertTrue(files.exists(DATA.resolve("member/wal/0.wal")));
    }

    @Test
    void aResetThatWasInterruptedGoesOn() {
        etcd = SimulatedCluster.ofVoters(1);
        files.refusing("/var/lib/etcd", "I/O error");
        assertThrows(PhaseFailure.class, this::reset);
        assertTrue(files.exists(DATA.resolve("member/wal/0.wal")));
        reachable = false;
        files.refusing("/var/lib/etcd", null);
        reset().conclude();
        assertClean();
    }

    @Test
    void whatAnInterruptedResetNotedDoesNotHoldForALaterMember() {
        files.with(ASIDE + "/etcd-member-left", NOTHING);
        reset().conclude();
        assertFalse(listed("cp-1"));
    }

    @Test
    void aWorkerHasNothingToDoWithEtcd() {
        files.deleteContents(MANIFESTS);
        files.deleteContents(DATA);
        ResetRun done = reset();
        assertInstanceOf(EtcdOutcome.Absent.class, done.outcome().orElseThrow());
        assertEquals(List.of(), accesses);
        assertEquals(List.of(), files.list(Path.of("/var/lib/kubelet")));
    }

    @Test
    void anExternalEtcdIsLeftAlone() {
        files.delete(MANIFESTS.resolve("etcd.yaml"));
        staticPod("kube-apiserver", "--etcd-servers=https://10.0.0.1:2379");
        ResetRun done = reset();
        assertInstanceOf(EtcdOutcome.Absent.class, done.outcome().orElseThrow());
        assertEquals(List.of(), accesses);
    }

    @Test
    void anUnusableManifestLeavesEtcdToTheOperator() {
        files.with("/etc/kubernetes/manifests/etcd.yaml", "spec: [");
        assertTrue(refused().why().contains("etcd-data"));
    }

    @Test
    void withoutEtcdsManifestTheAddressOfTheApiServerTells() {
        files.delete(MANIFESTS.resolve("etcd.yaml"));
        MemberId own = etcd.plant(java.net.URI.create("https://192.0.2.10:2380"), false);
        etcd.start(own, "cp-4");
        reset().conclude();
        assertFalse(listed("cp-4"));
    }

    @Test
    void everyEndpointThatIsKnownIsAsked() {
        reset();
        assertEquals(List.of("https://cp-1:2379", "https://cp-2:2379"),
                accesses.getFirst().endpoints().stream().map(Object::toString).sorted().toList());
    }

    @Test
    void anExpiredClientCertificateIsReplacedForTheOccasion() {
        IssuedCertificate old = CA.issue(
                CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT).requestFor(NOTHING, SubjectNames.none()),
                KeyAlgorithm.ECDSA_P256, new Validity(waiter.now().minusSeconds(9), waiter.now().minusSeconds(1)));
        files.with("/etc/kubernetes/pki/etcd/healthcheck-client.crt", old.certificatePem());
        reset().conclude();
        CertificateInfo used = CertificateInfo.parse(accesses.getFirst().certPem());
        assertTrue(used.isValidAt(waiter.now()));
        assertEquals("kube-etcd-healthcheck-client", used.commonName());
    }

    @Test
    void withoutAnyCredentialsEtcdIsNotAsked() {
        files.deleteContents(Path.of("/etc/kubernetes/pki"));
        assertTrue(refused().why().contains("ca.crt"));
    }

    @Test
    void noAnswerIsNo() {
        Map<Path, String> before = contents();
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> workflow((area, question) -> false)
                .run(start(false), Selection.allBut(List.of()), out));
        assertInstanceOf(UsageException.class, failure.getCause());
        assertEquals("preflight", failure.phase());
        assertEquals(before, contents());
    }

    @Test
    void anOrdinaryUserMayNot() {
        files.with("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\n");
        assertEquals("preflight", assertThrows(PhaseFailure.class, this::reset).phase());
    }

    @Test
    void aSkippedRemovalKeepsTheDataAndSaysSo() {
        workflow(Confirmation.GIVEN).run(start(false), Selection.allBut(List.of("remove-etcd-member")), out).conclude();
        assertTrue(listed("cp-1"));
        assertTrue(files.exists(DATA.resolve("member/wal/0.wal")));
        assertTrue(out.warnings().stream().anyMatch(line -> line.contains("is kept")), out.warnings().toString());
    }

    @Test
    void aDryRunLeavesDiskAndClusterUntouched() {
        Map<Path, String> before = contents();
        HostFiles overlay = new OverlayFiles(files, out);
        CommandRunner reporting = new ReportingRunner(runner, out);
        ReportingWaiter dry = new ReportingWaiter(waiter::now, out);
        Workflow<ResetRun> workflow = ResetWorkflow.of(new ResetWorkflow.Tools(overlay, reporting,
                Services.of(reporting), new io.kjadm.core.cri.ReportingConnector(runtime, out), dry,
                clients(overlay), new ReportingEtcdConnector(connector(), out),
                new LeaseLocks(overlay, dry, Background.NEVER, new SplittableRandom(7)),
                Confirmation.GIVEN, host(), line -> { }));
        ResetRun start = new ResetSources(overlay, clients(overlay), runtime, dry)
                .start(config(false), Path.of("/etc/kubernetes/admin.conf"), out);
        workflow.run(start, Selection.allBut(List.of()), out).conclude();
        assertEquals(before, contents());
        assertEquals(List.of(), etcd.changes());
        assertTrue(runtime.containers.get("etcd").running());
        assertTrue(runner.commands().stream().noneMatch(command -> command.contains("stop")));
        assertTrue(out.text().contains("Would remove etcd member"), out.text());
        assertTrue(out.text().contains("Would delete the contents of directory \"/var/lib/etcd\""), out.text());
    }

    private List<String> leaseWrites() {
        return api.writes().stream().filter(call -> call.contains(" Lease ")).map(call -> call.split(" ")[0]).toList();
    }

    /** Somebody else's turn, which is never renewed: it has to be waited for. */
    private void somebodyElsesTurn(MembershipLock.Work work) {
        new LeaseLocks(files, waiter, Background.NEVER, new SplittableRandom(7)).of(() -> api, "cp-9", out)
                .take(work, Duration.ZERO);
    }

    @Test
    void theMembershipLockIsHeldWhileTheMemberLeaves() {
        apiServes();
        MemberId own = etcd.id("cp-1");
        List<String> moments = new ArrayList<>();
        waiter.eachTime(() -> moments.add((listed("cp-1") ? "listed " : "left ") + api.objects().stream()
                .filter(Lease.class::isInstance).map(Lease.class::cast).flatMap(lease -> LockRecord.of(lease).stream())
                .map(record -> "%s %s %s".formatted(record.holder().node(), record.work().operation(),
                        record.work().member().orElseThrow())).findFirst().orElse("free")));
        reset().conclude();
        assertEquals(List.of("create", "replace"), leaseWrites());
        assertTrue(moments.contains("listed cp-1 reset " + own), moments.toString());
        assertTrue(moments.contains("left free"), moments.toString());
        assertFalse(moments.contains("listed free"), moments.toString());
        assertTrue(out.warnings().stream().noneMatch(line -> line.contains("other nodes")), out.warnings().toString());
    }

    @Test
    void aJoinElsewhereIsWaitedForAndTheDecisionMadeAnew() {
        apiServes();
        somebodyElsesTurn(MembershipLock.Work.beginning("join"));
        waiter.after(Duration.ofSeconds(30), () -> etcd.stop(etcd.id("cp-3")));
        KjadmException refused = refused();
        assertTrue(refused.why().contains("cp-3"), refused.why());
        assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(60)) >= 0, "after the other's turn was over");
        assertTrue(leaseWrites().size() > 2, leaseWrites().toString());
        assertEquals(Optional.empty(), LockRecord.of((Lease) api.objects().getFirst()), "given back");
        assertTrue(listed("cp-1"));
    }

    @Test
    void aRefusalQueuesForNothing() {
        apiServes();
        somebodyElsesTurn(MembershipLock.Work.beginning("join"));
        etcd.stop(etcd.id("cp-3"));
        refused();
        assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(30)) < 0, waiter.elapsed().toString());
        assertEquals(List.of("create"), leaseWrites());
    }

    @Test
    void aMemberThatIsNotListedNeedsNoTurn() {
        apiServes();
        etcd.removeByOther(etcd.id("cp-1"));
        reset().conclude();
        assertEquals(List.of(), leaseWrites());
        assertClean();
    }

    @Test
    void withoutTheApiServerTheMemberLeavesWithAWarning() {
        apiServes();
        api.down(Kind.UNREACHABLE);
        reset().conclude();
        assertFalse(listed("cp-1"));
        assertTrue(out.warnings().stream().anyMatch(line -> line.contains("not kept from changing etcd's members")),
                out.warnings().toString());
    }

    @Test
    void aRuntimeThatTheKubeletNamesIsNotLookedFor() {
        assertEquals("unix:///run/c.sock", start(false).criSocket());
        files.delete(Path.of("/var/lib/kubelet/instance-config.yaml"));
        files.with("/var/lib/kubelet/kubeadm-flags.env",
                "KUBELET_KUBEADM_ARGS=\"--container-runtime-endpoint=unix:///run/d.sock --x=y\"\n");
        assertEquals("unix:///run/d.sock", start(false).criSocket());
        files.delete(Path.of("/var/lib/kubelet/kubeadm-flags.env"));
        assertThrows(UsageException.class, () -> start(false), "every socket answers here");
    }

    @Test
    void theClustersConfigurationIsReadIfItAnswers() {
        api = new MemoryKubeApi().with(ConfigurationMaps.kubeadmConfig("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                certificatesDir: /elsewhere
                etcd:
                  external: {endpoints: ["http://10.0.0.1:2379"]}
                """));
        files.with("/etc/kubernetes/admin.conf", ADMIN_CONF);
        files.delete(MANIFESTS.resolve("etcd.yaml"));
        ResetRun run = new ResetSources(files, new KubeClients(files, access -> api), runtime, waiter)
                .start(config(false), Path.of("/etc/kubernetes/admin.conf"), out);
        assertTrue(run.etcd().external());
        assertEquals(Path.of("/etc/kubernetes/pki"), run.paths().certificatesDir(),
                "a directory that only the cluster names is not emptied");
    }
}
