package io.kjadm.core.init;

import io.kjadm.core.node.ControlPlaneMarker;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code mark-control-plane}: labels and taints the first node. */
record MarkControlPlanePhase(ControlPlaneMarker marking, AdminWriters writes)
        implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "mark-control-plane", "Mark a node as a control-plane", InitPhaseFlags.MARK);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        marking.mark(run.node(), writes.of(run, "mark-control-plane", out).api(), out);
        return run;
    }
}
