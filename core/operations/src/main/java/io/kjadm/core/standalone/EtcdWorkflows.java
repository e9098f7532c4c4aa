package io.kjadm.core.standalone;

import io.kjadm.core.check.Preflight;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.EarlyChecks;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.PlainPhase;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.StandaloneEtcd;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import java.nio.file.Path;
import java.util.List;

/** {@code etcd init} and {@code etcd join} as lists of phases; the short ones are made here. */
public final class EtcdWorkflows {

    private EtcdWorkflows() {}

    /** The phases of {@code etcd init}, wired. */
    public static Workflow<EtcdRun> init(StandalonePorts ports) {
        return new Workflow<>(
                "etcd init",
                List.of(
                        preflight(ports, EtcdPhaseFlags.PREFLIGHT),
                        new SnapshotPhase(
                                ports.machine().files(), ports.seen().probes().disk()),
                        download(ports),
                        certs(ports),
                        configure(ports),
                        restore(ports.machine(), ports.programs()),
                        start(ports),
                        new EtcdHealthPhase(ports),
                        etcdctl(ports),
                        new EtcdInstructionsPhase(ports.machine().files())));
    }

    /**
     * The phases of {@code etcd join}, wired. All that this machine needs is there and was tried
     * before etcd is touched.
     */
    public static Workflow<EtcdRun> join(StandalonePorts ports) {
        return new Workflow<>(
                "etcd join",
                List.of(
                        preflight(ports, EtcdPhaseFlags.JOIN_PREFLIGHT),
                        download(ports),
                        certs(ports),
                        new CheckClusterPhase(ports),
                        new MembershipPhase(ports),
                        new EtcdHealthPhase(ports),
                        etcdctl(ports),
                        new EtcdInstructionsPhase(ports.machine().files())));
    }

    /**
     * {@code preflight}: can this machine become a member? What is in the data directory is refused
     * and never touched. When all is well the member is noted, so that a run that is killed from here
     * on is continued by the same command.
     */
    private static Phase<EtcdRun> preflight(StandalonePorts ports, Flag... flags) {
        return PlainPhase.of(
                PhaseInfo.of(
                        "preflight", "Check that this machine can become a member of etcd", flags),
                (run, out) -> {
                    out.step("preflight", "Running pre-flight checks");
                    Path dataDir = run.settings().directories().data();
                    Preflight preflight = new Preflight(run.options().ignorePreflightErrors(), out);
                    preflight.run(MachineChecks.privileged(ports.seen().host()));
                    preflight.run(StandaloneEtcdChecks.of(
                            ports.seen().host(),
                            new StandaloneEtcdChecks.Member(
                                    run.settings().address(),
                                    dataDir,
                                    List.of(
                                            run.paths().environment(),
                                            run.paths().unit()),
                                    run.existing()),
                            ports.seen().facts()::network,
                            run.resumes(),
                            EarlyChecks.disk(ports.seen().probes(), dataDir)));
                    ports.etcd(run).remember(run.record());
                });
    }

    /** {@code download}: etcd's programs are on this machine. */
    private static Phase<EtcdRun> download(StandalonePorts ports) {
        return PlainPhase.of(
                PhaseInfo.of(
                                "download",
                                "Install etcd and etcdctl, verified by their SHA-256",
                                EtcdPhaseFlags.DOWNLOAD)
                        .alias("install"),
                (run, out) -> ports.programs()
                        .install(
                                run.settings().version(),
                                run.settings().directories().install(),
                                run.options(),
                                out));
    }

    private static Phase<EtcdRun> certs(StandalonePorts ports) {
        return new EtcdCertsPhase(
                ports.machine().files(), ports.keys(), ports.machine().observer()::now);
    }

    /** {@code configure}: the environment and the unit of a member that founds a cluster. */
    private static Phase<EtcdRun> configure(StandalonePorts ports) {
        return PlainPhase.of(
                PhaseInfo.of(
                        "configure",
                        "Write etcd's environment file and its systemd unit",
                        EtcdPhaseFlags.CONFIGURE),
                (run, out) -> {
                    ports.etcd(run).remember(run.record());
                    boolean changed = ports.etcd(run).configure(run.settings(), founded(run));
                    out.step(
                            "configure",
                            (changed ? "Wrote %s and %s" : "%s and %s are as they should be")
                                    .formatted(
                                            run.paths().environment(),
                                            run.paths().unit()));
                });
    }

    private static InitialCluster founded(EtcdRun run) {
        return new InitialCluster(
                run.record().token(),
                false,
                List.of(new NameAndUrl(run.settings().name(), run.settings().peerUrl())));
    }

    /** {@code restore}: the member has the data of the snapshot before it is started at all. */
    static Phase<EtcdRun> restore(Machine machine, EtcdPrograms programs) {
        return PlainPhase.of(
                PhaseInfo.of(
                        "restore",
                        "Restore the snapshot to etcd's data directory",
                        EtcdPhaseFlags.DOWNLOAD),
                run -> machine.files().exists(run.paths().fetchedSnapshotName()),
                (run, out) -> new SnapshotData(
                                machine.files(),
                                run,
                                new RestoredEtcdService(
                                        new SystemdEtcd(machine, run.paths()),
                                        programs,
                                        run.options(),
                                        out),
                                out)
                        .make());
    }

    /** {@code start}: the service runs, now and after every boot. */
    private static Phase<EtcdRun> start(StandalonePorts ports) {
        return PlainPhase.of(
                PhaseInfo.of("start", "Enable and start etcd's service", EtcdPhaseFlags.CONFIGURE),
                (run, out) -> {
                    requireData(ports.machine().files(), run);
                    ports.etcd(run).start(run.settings(), founded(run));
                    out.step("start", "Enabled and started service etcd");
                });
    }

    /** One that has served would begin another cluster, under the same IDs. */
    private static void requireData(HostFiles files, EtcdRun run) {
        if (run.settled() && !SnapshotData.isThere(files, run)) {
            throw new HostException(
                    "etcd is not started: there are no data in %s"
                            .formatted(run.settings().directories().data()),
                    "this machine's member has served before, and would begin another cluster without them",
                    "mount their disk, then run 'systemctl start etcd'; if they are lost, run 'kjadm etcd reset'");
        }
    }

    /** {@code etcdctl}: what clients of this etcd need, {@code etcdctl} here and API servers elsewhere. */
    static Phase<EtcdRun> etcdctl(StandalonePorts ports) {
        return PlainPhase.of(
                PhaseInfo.of(
                                "etcdctl",
                                "Write what etcdctl and API servers need to reach this etcd",
                                EtcdPhaseFlags.MEMBER)
                        .alias("client-certs"),
                (run, out) -> writeForClients(ports, run, out));
    }

    private static void writeForClients(StandalonePorts ports, EtcdRun run, Reporter out) {
        HostFiles files = ports.machine().files();
        Path certificates = run.settings().directories().certificates();
        Path install = run.settings().directories().install();
        Path wrapper = run.paths().etcdctlWrapper(install);
        files.write(
                run.paths().etcdctlEnvironment(),
                StandaloneEtcd.etcdctlEnvironment(run.settings().address(), certificates),
                FileMode.OWNER_ONLY);
        files.write(
                wrapper,
                StandaloneEtcd.etcdctlWrapper(run.paths().etcdctlEnvironment(), install),
                FileMode.EXECUTABLE);
        out.step("etcdctl", "etcdctl for this etcd is %s".formatted(wrapper));
        if (!new MemberCertificates(ports.etcd(run), ports.clients(), out)
                .provideForControlPlanes()) {
            throw new HostException(
                    "%s cannot be written".formatted(run.paths().externalEtcd()),
                    "the CA, or the certificate or key of the API servers, is not in "
                            + certificates,
                    "run phase certs first");
        }
        out.step(
                "etcdctl",
                "Wrote %s for 'kjadm init --external-etcd'"
                        .formatted(run.paths().externalEtcd()));
    }
}
