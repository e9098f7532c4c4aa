package io.kjadm.core.upgrade;

import io.kjadm.core.cluster.ClusterWriter;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;

/**
 * A phase that writes objects of the cluster, in the way {@code init} does: what is there already
 * is brought up to date.
 *
 * @param area of the messages
 * @param work what it does with the writer
 */
record ClusterPhase(
        PhaseInfo info, KubeClients clients, Waiter waiter, String area, ClusterWork work)
        implements Phase<UpgradeRun> {

    /** What is written. */
    interface ClusterWork {
        /** Writes it. */
        void write(UpgradeRun run, ClusterWriter to, Reporter out);
    }

    @Override
    public UpgradeRun run(UpgradeRun run, Reporter out) {
        if (!run.controlPlane()) {
            out.step(area, "Skipping phase: this node has no control plane");
            return run;
        }
        work.write(
                run,
                new ClusterWriter(
                        clients.of(run.kubeconfig()),
                        waiter,
                        run.timeouts().kubernetesApiCall(),
                        area),
                out);
        return run;
    }
}
