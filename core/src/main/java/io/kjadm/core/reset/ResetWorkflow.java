package io.kjadm.core.reset;

import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.Failpoints;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Mounts;
import io.kjadm.core.host.Services;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.node.StaticPodShutdown;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.PreflightHost;
import io.kjadm.etcd.EtcdConnector;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** {@code reset} as a list of phases, in kubeadm's order ({@code cmd/kubeadm/app/cmd/reset.go}). */
public final class ResetWorkflow {

    private ResetWorkflow() {}

    /** What the phases work with. */
    public record Tools(
            HostFiles files,
            CommandRunner runner,
            Services services,
            RuntimeConnector runtimes,
            Waiter waiter,
            KubeClients clients,
            EtcdConnector etcd,
            LeaseLocks locks,
            Confirmation confirmation,
            PreflightHost host,
            Consumer<String> findings,
            Failpoints failpoints) {}

    /** The phases, wired. */
    public static Workflow<ResetRun> of(Tools tools) {
        EtcdClients etcd =
                new EtcdClients(tools.files(), tools.clients(), tools.etcd(), tools.waiter());
        return new Workflow<>(
                "reset",
                List.of(
                        new ResetPreflightPhase(
                                tools.host(),
                                tools.findings(),
                                tools.confirmation(),
                                tools.files(),
                                etcd),
                        new RemoveEtcdMemberPhase(
                                tools.files(),
                                tools.clients(),
                                etcd,
                                tools.locks(),
                                tools.waiter(),
                                tools.failpoints(),
                                out -> new StaticPodShutdown(
                                        "reset",
                                        tools.services(),
                                        tools.runtimes(),
                                        tools.waiter(),
                                        out)),
                        new CleanupNodePhase(
                                new NodeCleanup(
                                        tools.files(),
                                        new Mounts(tools.files(), tools.runner()),
                                        tools.services(),
                                        tools.runtimes()),
                                new RootlessAccounts(tools.files(), tools.runner()),
                                tools.files(),
                                tools.waiter(),
                                tools.failpoints())));
    }

    /**
     * A part of a reset that has begun: a signal lets it end, and the reset goes on to its end too,
     * since a node that is half reset is of no use to anybody. Its own limits bound it.
     */
    static <T> T toItsEnd(Supplier<T> work) {
        try {
            return Uninterrupted.call(work);
        } finally {
            Thread.interrupted();
        }
    }
}
