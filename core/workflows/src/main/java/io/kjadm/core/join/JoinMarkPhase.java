package io.kjadm.core.join;

import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.ControlPlaneMarker;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code control-plane-join/mark-control-plane}: labels and taints the new node. */
record JoinMarkPhase(ControlPlaneMarker marking, KubeClients clients) implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "mark-control-plane", "Mark a node as a control-plane", JoinPhaseFlags.MARK);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        ControlPlaneNode node = run.node();
        marking.mark(node, clients.of(node.paths().adminConf()), out);
        return run;
    }
}
