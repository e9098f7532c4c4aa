package io.kjadm.core.join;

import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code wait-control-plane}: waits until this node's own components are healthy. */
record JoinWaitPhase(ComponentHealth health, KubeClients clients) implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "wait-control-plane", "Wait for the control plane to start", JoinPhaseFlags.NONE);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        ControlPlaneNode node = run.node();
        health.awaitComponents(node, clients.of(node.paths().adminConf(), node.localEndpoint()));
        return run;
    }
}
