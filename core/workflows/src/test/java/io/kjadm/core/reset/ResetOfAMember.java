package io.kjadm.core.reset;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.Mounts;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.staticpod.ManifestStash;
import io.kjadm.core.staticpod.StaticPodShutdown;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.EtcdConnector;

import java.util.List;
import java.util.Optional;

/** The phases of a reset that concern etcd and the machine, for the simulation. */
public record ResetOfAMember(
        HostFiles files,
        CommandRunner runner,
        RuntimeConnector runtimes,
        Waiter waiter,
        KubeClients clients,
        EtcdConnector etcd,
        LeaseLocks locks,
        Reporter out) {

    private static final String SOCKET = "unix:///run/c.sock";

    /**
     * Takes the member out and cleans the machine.
     *
     * @param cluster its configuration, if the API server tells it
     * @return what became of the member
     */
    public EtcdOutcome run(
            boolean force, boolean forceLastMember, Optional<ClusterConfiguration> cluster) {
        KubernetesPaths paths = KubernetesPaths.standard();
        ManifestStash aside = new ManifestStash(files, paths, ResetJournal.place(paths));
        ResetConfiguration config = new ResetConfiguration(
                false,
                Optional.empty(),
                Optional.of(SOCKET),
                false,
                force,
                forceLastMember,
                List.of(),
                List.of(),
                List.of(),
                Timeouts.DEFAULTS);
        ResetRun start = new ResetRun(
                config,
                paths,
                paths.adminConf(),
                SOCKET,
                cluster,
                LocalEtcdState.look(
                        files,
                        paths,
                        aside::text,
                        cluster.map(ClusterConfiguration::configuredEtcd)),
                Optional.empty());
        Machine machine = new Machine(files, runner, runtimes, _ -> "", waiter, waiter);
        ResetRun left = new RemoveEtcdMemberPhase(
                        files,
                        new ClusterClients(
                                clients, new EtcdClients(files, clients, etcd, waiter), locks),
                        waiter,
                        Failpoints.none(),
                        to -> new StaticPodShutdown("reset", machine, to))
                .run(start, out);
        ResetRun clean = new CleanupNodePhase(
                        new NodeCleanup(
                                files, new Mounts(files, runner), machine.services(), runtimes),
                        new RootlessAccounts(files, runner),
                        files,
                        waiter,
                        Failpoints.none())
                .run(left, out);
        return clean.outcome().orElseThrow();
    }
}
