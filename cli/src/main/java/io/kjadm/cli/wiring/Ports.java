package io.kjadm.cli.wiring;

import io.kjadm.cli.console.ProgramName;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.CriConnector;
import io.kjadm.core.cri.EmptyRuntime;
import io.kjadm.core.cri.ReportingRuntimeConnector;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.ProcessRunner;
import io.kjadm.core.host.ReportingRunner;
import io.kjadm.core.kube.Fabric8Connector;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.machine.HttpHealthProbe;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.SteadyClock;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.preflight.machine.NameResolver;
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
import java.time.InstantSource;

/**
 * What a run reaches the world through. Chosen once; a phase cannot tell a dry run from a real one.
 *
 * @param files    of the machine, or an overlay
 * @param observed the machine's real files, which checks look at even in a dry run
 * @param runner   of programs
 * @param runtimes container runtimes
 * @param kube     API servers
 * @param etcd     etcd clusters
 * @param probes   what a join looks at before it touches etcd
 * @param health   health endpoints of this node
 * @param names    addresses of host names
 * @param waiter   the clock
 * @param observer waits for what is only read; real even in a dry run
 * @param background what goes on beside the run
 * @param real     the runtime connections to close at the end
 */
public record Ports(
        HostFiles files,
        HostFiles observed,
        CommandRunner runner,
        RuntimeConnector runtimes,
        KubeConnector kube,
        EtcdConnector etcd,
        JoinProbes probes,
        HealthProbe health,
        NameResolver names,
        Waiter waiter,
        Waiter observer,
        Scheduler background,
        CriConnector real)
        implements AutoCloseable {

    /** The machine and the clusters themselves. */
    public static Ports real(Reporter out) {
        HostFiles disk = new DiskFiles();
        CriConnector cri = new CriConnector();
        Waiter waiter = new SystemWaiter(new SteadyClock(), out);
        return new Ports(
                disk,
                disk,
                new ProcessRunner(searchPath()),
                cri,
                new Fabric8Connector(
                        System.getenv(), out::warn, ProgramName.ofProcess().userAgent()),
                new JetcdConnector(),
                JoinProbes.real(true),
                new HttpHealthProbe(),
                NameResolver.ofMachine(),
                waiter,
                waiter,
                Scheduler.threads(),
                cri);
    }

    /** Reads are real; changes are only reported. */
    public static Ports dry(Reporter out) {
        Ports real = real(out);
        return new Ports(
                new OverlayFiles(real.files(), out),
                real.files(),
                new ReportingRunner(real.runner(), out),
                new ReportingRuntimeConnector(real.runtimes(), out),
                KubeConnector.reporting(real.kube(), out),
                ReportingEtcdCluster.connector(real.etcd(), out),
                JoinProbes.real(false),
                url -> "",
                NameResolver.reporting(out),
                new ReportingWaiter(InstantSource.system(), out),
                real.waiter(),
                Scheduler.NEVER,
                real.real());
    }

    /**
     * Those of a dry run that asks nothing outside this machine.
     *
     * @param kube answers in place of API servers
     */
    public static Ports alone(Reporter out, KubeConnector kube) {
        Ports dry = dry(out);
        return new Ports(
                dry.files,
                dry.observed,
                dry.runner,
                dry.runtimes,
                KubeConnector.reporting(kube, out),
                access -> {
                    throw new EtcdCallException(
                            ErrorClass.TRANSIENT,
                            RpcCode.UNAVAILABLE,
                            "a dry run asks no server",
                            "at " + access.endpoints(),
                            null);
                },
                JoinProbes.ofMachine(),
                dry.health,
                dry.names,
                dry.waiter,
                dry.observer,
                dry.background,
                dry.real);
    }

    /** The same, whose files are changed through these. */
    public Ports withFiles(HostFiles changing) {
        return on(changing, observed, runtimes);
    }

    /**
     * The same on a machine that is assumed: checks look at these files, and no container runs.
     */
    public Ports assuming(HostFiles seen) {
        return on(files, seen, EmptyRuntime.connector(runtimes));
    }

    private Ports on(HostFiles changed, HostFiles seen, RuntimeConnector containers) {
        return new Ports(
                changed,
                seen,
                runner,
                containers,
                kube,
                etcd,
                probes,
                health,
                names,
                waiter,
                observer,
                background,
                real);
    }

    /** The same, each wait and each call of a server noted. */
    Ports measuredBy(Timings timings) {
        if (timings == Timings.none()) {
            return this;
        }
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
        return new Ports(
                files,
                observed,
                new TimedRunner(runner, timings),
                measured,
                access -> timings.measuring(KubeApi.class, "API server", kube.connect(access)),
                access -> timings.measuring(EtcdCluster.class, "etcd", etcd.connect(access)),
                probes,
                timings.measuring(HealthProbe.class, "health endpoint", health),
                names,
                new TimedWaiter(waiter, timings),
                new TimedWaiter(observer, timings),
                background,
                real);
    }

    /** The machine, as a run may change it. */
    public Machine machine() {
        return new Machine(files, runner, runtimes, health, waiter, observer);
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
