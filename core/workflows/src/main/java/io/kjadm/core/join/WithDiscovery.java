package io.kjadm.core.join;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/**
 * A phase of the join that needs to know the cluster, whichever phase of the run comes first. What
 * is only a control plane's is passed over by a worker.
 */
record WithDiscovery(Phase<JoinRun> phase, Discoverer discoverer, boolean controlPlaneOnly)
        implements Phase<JoinRun> {

    /** A phase of every node. */
    static Phase<JoinRun> byAll(Discoverer discoverer, Phase<JoinRun> phase) {
        return new WithDiscovery(phase, discoverer, false);
    }

    /** A phase of control-plane nodes. */
    static Phase<JoinRun> byControlPlane(Discoverer discoverer, Phase<JoinRun> phase) {
        return new WithDiscovery(phase, discoverer, true);
    }

    @Override
    public PhaseInfo info() {
        return phase.info();
    }

    @Override
    public boolean applies(JoinRun run) {
        return (run.controlPlane() || !controlPlaneOnly) && phase.applies(run);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        return phase.run(discoverer.ensure(run, out), out);
    }
}
