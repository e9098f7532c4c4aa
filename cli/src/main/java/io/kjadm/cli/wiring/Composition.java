package io.kjadm.cli.wiring;

import io.kjadm.cli.console.ProgramName;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.ConfigurationLoader;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.host.EtcdHost;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.net.ProxyEnvironment;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.machine.PortProbe;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.core.timing.Timings;
import io.kjadm.pki.KeyPairPool;

import java.util.Optional;
import java.util.SplittableRandom;

/** The objects of one run, wired: everything that init, join and reset share. */
public final class Composition implements AutoCloseable {

    private final Reporter out;
    private final Ports ports;
    private final KubeClients clients;
    private Claim claim = HostLock.none();
    private Optional<EtcdHost> etcdHost = Optional.empty();

    public Composition(Reporter out, boolean dryRun) {
        this(out, dryRun, Timings.none());
    }

    /** @param timings notes what is waited for and which servers are called */
    public Composition(Reporter out, boolean dryRun, Timings timings) {
        this(out, Ports.of(out, dryRun), timings);
    }

    /** The same through these ports. */
    public Composition(Reporter out, Ports ports, Timings timings) {
        this.out = out;
        this.ports = ports.measuredBy(timings);
        this.clients = new KubeClients(this.ports.files(), this.ports.servers().kube());
    }

    /** Loads configuration; asks nothing but this machine, and a version label's server. */
    public static ConfigurationLoader loader(Reporter out) {
        return new ConfigurationLoader(new MachineFacts(), out::warn);
    }

    /**
     * The file named by {@code --config}, of API versions that are read under the name of the
     * program.
     */
    public static Optional<ConfigurationFile> configurationFile(CommandFlags flags) {
        return configurationFile(flags, ProgramName.ofProcess());
    }

    public static Optional<ConfigurationFile> configurationFile(
            CommandFlags flags, ProgramName name) {
        return flags.path(Flag.CONFIG)
                .map(ConfigurationFile::read)
                .map(file ->
                        name.readsV1Beta3(NamedRelease.ofMachine()) ? file : file.withoutV1Beta3());
    }

    public Reporter out() {
        return out;
    }

    public Ports ports() {
        return ports;
    }

    /**
     * Lets a command go on only if nothing is unfinished on this machine that it must not run
     * beside.
     */
    public void refuseBesideUnfinished(ChangingCommand command) {
        UnfinishedOperations.on(ports.observed()).require(command);
    }

    /**
     * The same that keeps other runs from changing this machine until it is closed.
     *
     * @throws UsageException if another run has the machine, or something is unfinished on it that
     *     the command must not run beside
     */
    public Composition changing(ChangingCommand command) {
        return changing(() -> refuseBesideUnfinished(command));
    }

    /** The same of a command that runs beside everything that is unfinished. */
    public Composition changing() {
        return changing(() -> {});
    }

    private Composition changing(Runnable check) {
        try {
            claim = HostLock.claim(ports.files());
            check.run();
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    public KubeClients clients() {
        return clients;
    }

    public PreflightHost preflightHost(KubernetesPaths paths) {
        return preflightHost(paths, ports.observed());
    }

    /** The same that sees other files. */
    public PreflightHost preflightHost(KubernetesPaths paths, HostFiles files) {
        return new PreflightHost(
                files,
                ports.machine().runner(),
                ports.machine().runtimes(),
                new PreflightHost.Network(
                        PortProbe.ofMachine(),
                        ports.names(),
                        new ProxyEnvironment(System.getenv())),
                ports.waiter(),
                paths);
    }

    /** What writes this machine's files; keys come from the pool. */
    public NodeStores stores(KeyPairPool keys) {
        return NodeStores.on(
                ports.machine(),
                keys,
                new HostInfo(ports.observed()).hostname(),
                System.getenv(),
                out);
    }

    /** The cluster of this node. */
    public ClusterClients cluster() {
        return new ClusterClients(
                clients,
                new EtcdClients(ports.files(), clients, ports.servers().etcd(), ports.observer()),
                locks());
    }

    private LeaseLocks locks() {
        return new LeaseLocks(
                ports.files(), ports.waiter(), ports.background(), new SplittableRandom());
    }

    /** This machine's etcd, chosen once: a static pod, or a service of systemd. */
    public EtcdHost etcdHost() {
        if (etcdHost.isEmpty()) {
            etcdHost = Optional.of(EtcdHost.on(ports.machine()));
        }
        return etcdHost.get();
    }

    /** Finds the members of an etcd, whatever is to be done with them. */
    public EtcdClients etcdClients() {
        return new EtcdClients(ports.observed(), clients, ports.servers().etcd(), ports.observer());
    }

    /** Looks at all members of etcd. */
    public EtcdCheckup etcdCheckup() {
        return new EtcdCheckup(ports.probes().etcd(), ports.observer());
    }

    public ComponentHealth health() {
        return new ComponentHealth(ports.files(), ports.machine().health(), ports.waiter(), out);
    }

    @Override
    public void close() {
        try {
            claim.close();
        } finally {
            clients.close();
            ports.close();
        }
    }
}
