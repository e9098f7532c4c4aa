package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.CriSockets;
import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.cri.ReportingRuntimeConnector;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.ReportingRunner;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.lock.VirtualBackground;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.GoodHost;
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

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;

/** A control-plane node that is to be taken out of its cluster, by {@code kjadm reset}. */
public final class ResetLab extends ResetNode {

    static final Selection WHOLE = Selection.allBut(List.of());
    private static final Path TMP = Path.of("/etc/kubernetes/tmp");
    public static final Path ASIDE = TMP.resolve("kjadm-reset");
    /** Of a join that has not ended. */
    static final Path JOIN_NOTE = TMP.resolve("kjadm-etcd-join");
    /** Its admin.conf is empty. */
    static final String CONFIGURATION_UNREADABLE =
            "could not read the cluster configuration (kubeconfig /etc/kubernetes/admin.conf cannot"
                    + " be used: not a YAML object: the top level has to consist of keys and values):"
                    + " continuing with what this node knows";

    public final RecordingReporter out = new RecordingReporter();
    final List<EtcdAccess> accesses = new ArrayList<>();
    boolean reachable = true;

    Failpoints failpoints = Failpoints.none();

    public ResetLab() {
        setUp();
        waiter.eachTime(this::kubelet);
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
        return GoodHost.of(files, runner, runtime, waiter);
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
        EtcdConnector connector = access -> {
            connector().connect(access);
            return cluster;
        };
        boolean went = socket.cuts(() -> workflow(disk, connector, Confirmation.GIVEN)
                .run(start(config, disk, CriSockets::detect), WHOLE, out));
        boot();
        return went;
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

    /** As an earlier run does before its member leaves. */
    void apiServerIsTakenOut() {
        files.delete(MANIFESTS.resolve("kube-apiserver.yaml"));
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

    void assertClean() {
        assertEquals(List.of(), files.list(DATA));
        assertEquals(List.of(), files.list(MANIFESTS));
        assertFalse(files.exists(ASIDE));
        assertFalse(files.exists(Path.of("/etc/kubernetes/admin.conf")));
        assertFalse(runtime.containers.get("etcd").running());
    }
}
