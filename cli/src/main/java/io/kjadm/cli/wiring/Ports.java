package io.kjadm.cli.wiring;

import io.kjadm.cli.console.ProgramName;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.CriConnector;
import io.kjadm.core.cri.EmptyRuntime;
import io.kjadm.core.cri.ReportingRuntimeConnector;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.ProcessRunner;
import io.kjadm.core.host.ReportingRunner;
import io.kjadm.core.kube.Fabric8Connector;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.machine.HttpHealthProbe;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.net.HttpDownload;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.SteadyClock;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.preflight.machine.NameResolver;
import io.kjadm.core.standalone.EtcdPrograms;
import io.kjadm.core.standalone.ReleaseInstaller;
import io.kjadm.core.timing.TimedRunner;
import io.kjadm.core.timing.TimedWaiter;
import io.kjadm.core.timing.Timings;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.RpcCode;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.UnaryOperator;

/**
 * What a run reaches the world through. Chosen once; a phase cannot tell a dry run from a real one.
 *
 * @param machine  as the run may change it
 * @param observed the machine's real files, which checks look at even in a dry run
 * @param servers  of the cluster
 * @param probes   what a join looks at before it touches etcd
 * @param names    addresses of host names
 * @param background what goes on beside the run
 * @param real     the runtime connections to close at the end
 */
public record Ports(
        Machine machine,
        HostFiles observed,
        Servers servers,
        JoinProbes probes,
        NameResolver names,
        Scheduler background,
        CriConnector real)
        implements AutoCloseable {

    /** A release of etcd has some 25 MB. */
    private static final Duration DOWNLOAD_LIMIT = Duration.ofMinutes(15);

    /**
     * API servers and etcd clusters.
     *
     * @param programs of a standalone etcd, from its releases
     * @param locked   the lock that machines of a standalone etcd queue for, or none where nothing
     *     is changed
     */
    public record Servers(
            KubeConnector kube,
            EtcdConnector etcd,
            EtcdPrograms programs,
            UnaryOperator<MembershipLock> locked) {

        private Servers with(KubeConnector kubeNow, EtcdConnector etcdNow) {
            return new Servers(kubeNow, etcdNow, programs, locked);
        }
    }

    /** The machine and the clusters themselves. */
    public static Ports real(Reporter out) {
        HostFiles disk = new DiskFiles();
        CommandRunner runner = new ProcessRunner(searchPath());
        CriConnector cri = new CriConnector();
        Waiter waiter = new SystemWaiter(new SteadyClock(), out);
        return new Ports(
                new Machine(disk, runner, cri, new HttpHealthProbe(), waiter, waiter),
                disk,
                new Servers(
                        new Fabric8Connector(
                                System.getenv(),
                                out::warn,
                                ProgramName.ofProcess().userAgent()),
                        new JetcdConnector(),
                        new ReleaseInstaller(
                                disk,
                                runner,
                                new HttpDownload(System.getenv(), DOWNLOAD_LIMIT)::fetch,
                                EtcdHostPaths.standard()),
                        UnaryOperator.identity()),
                JoinProbes.real(true),
                NameResolver.ofMachine(),
                Scheduler.threads(),
                cri);
    }

    /** Reads are real; changes are only reported. */
    public static Ports dry(Reporter out) {
        Ports real = real(out);
        CommandRunner runner = new ReportingRunner(real.machine.runner(), out);
        return new Ports(
                new Machine(
                        new OverlayFiles(real.files(), out),
                        runner,
                        new ReportingRuntimeConnector(real.machine.runtimes(), out),
                        url -> "",
                        new ReportingWaiter(InstantSource.system(), out),
                        real.waiter()),
                real.files(),
                new Servers(
                        KubeConnector.reporting(real.servers.kube(), out),
                        ReportingEtcdCluster.connector(real.servers.etcd(), out),
                        EtcdPrograms.reporting(runner, real.files(), EtcdHostPaths.standard()),
                        _ -> MembershipLock.none()),
                JoinProbes.real(false),
                NameResolver.reporting(out),
                Scheduler.NEVER,
                real.real());
    }

    /** Those of a run, or of a dry run. */
    public static Ports of(Reporter out, boolean dryRun) {
        return dryRun ? dry(out) : real(out);
    }

    /** The same that reach etcd in another way. */
    public Ports withEtcd(UnaryOperator<EtcdConnector> way) {
        return with(machine, observed, servers.with(servers.kube(), way.apply(servers.etcd())));
    }

    private Ports with(Machine changed, HostFiles seen, Servers reached) {
        return new Ports(changed, seen, reached, probes, names, background, real);
    }

    /**
     * Those of a dry run that asks nothing outside this machine.
     *
     * @param kube answers in place of API servers
     */
    public static Ports alone(Reporter out, KubeConnector kube) {
        Ports dry = dry(out);
        return new Ports(
                dry.machine,
                dry.observed,
                dry.servers.with(KubeConnector.reporting(kube, out), access -> {
                    throw new EtcdCallException(
                            ErrorClass.TRANSIENT,
                            RpcCode.UNAVAILABLE,
                            "a dry run asks no server",
                            "at " + access.endpoints(),
                            null);
                }),
                JoinProbes.ofMachine(),
                dry.names,
                dry.background,
                dry.real);
    }

    /** The same, whose files are changed through these. */
    public Ports withFiles(HostFiles changing) {
        return on(changing, observed, machine.runtimes());
    }

    /**
     * The same on a machine that is assumed: checks look at these files, and no container runs.
     */
    public Ports assuming(HostFiles seen) {
        return on(files(), seen, EmptyRuntime.connector(machine.runtimes()));
    }

    private Ports on(HostFiles changed, HostFiles seen, RuntimeConnector containers) {
        return with(
                new Machine(
                        changed,
                        machine.runner(),
                        containers,
                        machine.health(),
                        machine.waiter(),
                        machine.observer()),
                seen,
                servers);
    }

    /** The same, each wait and each call of a server noted. */
    Ports measuredBy(Timings timings) {
        if (timings == Timings.none()) {
            return this;
        }
        RuntimeConnector runtimes = machine.runtimes();
        RuntimeConnector measured = new RuntimeConnector() {
            @Override
            public ContainerRuntime connect(String criSocket) {
                return timings.measuring(
                        ContainerRuntime.class, "container runtime", runtimes.connect(criSocket));
            }

            @Override
            public boolean canConnect(Path socket) {
                return runtimes.canConnect(socket);
            }
        };
        return with(
                new Machine(
                        files(),
                        new TimedRunner(machine.runner(), timings),
                        measured,
                        timings.measuring(HealthProbe.class, "health endpoint", machine.health()),
                        new TimedWaiter(waiter(), timings),
                        new TimedWaiter(observer(), timings)),
                observed,
                servers.with(
                        access -> timings.measuring(
                                KubeApi.class, "API server", servers.kube().connect(access)),
                        access -> timings.measuring(
                                EtcdCluster.class, "etcd", servers.etcd().connect(access))));
    }

    /** Of the machine, or an overlay. */
    public HostFiles files() {
        return machine.files();
    }

    /** The clock. */
    public Waiter waiter() {
        return machine.waiter();
    }

    /** Waits for what is only read; real even in a dry run. */
    public Waiter observer() {
        return machine.observer();
    }

    /** Where programs are looked for: folders, with colons between them. */
    public static String searchPath() {
        String path = System.getenv("PATH");
        return path == null ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" : path;
    }

    @Override
    public void close() {
        real.close();
    }
}
