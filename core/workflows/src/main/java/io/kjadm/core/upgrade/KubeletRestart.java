package io.kjadm.core.upgrade;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Uninterrupted;

/**
 * Restarts the kubelet after a step has changed its files; if it does not come up, they go back to
 * what they were and it is started with those.
 */
record KubeletRestart(Machine machine, KubeletFileStore store, ComponentHealth health) {

    private static final String KUBELET = "kubelet";

    /**
     * Restarts it and waits for it to be healthy.
     *
     * @param step whose changes go back if it is not in time
     */
    void restart(UpgradeRun run, NodeChanges changes, String step, Reporter out) {
        out.step(step, "Restarting the kubelet");
        machine.services().restart(KUBELET).ifPresent(out::warn);
        try {
            health.awaitKubelet(
                    store.effective(run.kubeletInput(run.settings().patchesDirectory())),
                    run.timeouts().kubeletHealthCheck());
        } catch (KjadmException e) {
            if (!Thread.currentThread().isInterrupted()) {
                Uninterrupted.run(() -> {
                    out.step(step, "Restoring the kubelet's previous files");
                    changes.restore(step);
                    changes.restored(step);
                    machine.services().restart(KUBELET).ifPresent(out::warn);
                });
            }
            throw e;
        }
    }
}
