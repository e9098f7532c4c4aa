package io.kjadm.core.reset;

import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.host.Mounts;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.core.staticpod.StaticPodShutdown;

import java.util.List;
import java.util.function.Supplier;

/** {@code reset} as a list of phases, in kubeadm's order ({@code cmd/kubeadm/app/cmd/reset.go}). */
public final class ResetWorkflow {

    private ResetWorkflow() {}

    /**
     * The phases, wired.
     *
     * @param host       what preflight looks at, real in a dry run too
     * @param failpoints faults on purpose, for trying out interrupted resets
     */
    public static Workflow<ResetRun> of(
            Machine machine,
            ClusterClients cluster,
            PreflightHost host,
            Confirmation confirmation,
            Failpoints failpoints) {
        return new Workflow<>(
                "reset",
                List.of(
                        new ResetPreflightPhase(
                                host, confirmation, machine.files(), cluster.etcd()),
                        new RemoveEtcdMemberPhase(
                                machine.files(),
                                cluster,
                                machine.waiter(),
                                failpoints,
                                out -> new StaticPodShutdown("reset", machine, out)),
                        new CleanupNodePhase(
                                new NodeCleanup(
                                        machine.files(),
                                        new Mounts(machine.files(), machine.runner()),
                                        machine.services(),
                                        machine.runtimes()),
                                new RootlessAccounts(machine.files(), machine.runner()),
                                machine.files(),
                                machine.waiter(),
                                failpoints)));
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
