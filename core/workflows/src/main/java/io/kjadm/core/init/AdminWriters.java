package io.kjadm.core.init;

import io.kjadm.core.cluster.ClusterWriter;
import io.kjadm.core.node.ClusterAdminClient;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;

/** How init's phases write objects: as administrator, within {@code timeouts.kubernetesAPICall}. */
record AdminWriters(ClusterAdminClient admin, Waiter waiter) {

    /**
     * A writer with the administrator's rights, which the first one makes effective.
     *
     * @param area in whose name waits are told
     */
    ClusterWriter of(InitRun run, String area, Reporter out) {
        return new ClusterWriter(
                admin.connect(run.node(), run.options().kubeconfig(), out),
                waiter,
                run.node().timeouts().kubernetesApiCall(),
                area);
    }
}
