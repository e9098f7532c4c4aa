package io.kjadm.core.init;

import io.kjadm.core.check.Preflight;
import io.kjadm.core.config.Images;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.ImagePulls;
import io.kjadm.core.preflight.InitChecks;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PreflightHost;

/**
 * {@code preflight}: can this machine become the first control-plane node, and are the images
 * there?
 */
record PreflightPhase(PreflightHost host) implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("preflight", "Run pre-flight checks", InitPhaseFlags.PREFLIGHT);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        out.step("preflight", "Running pre-flight checks");
        Preflight preflight = new Preflight(run.options().ignorePreflightErrors(), out);
        preflight.run(MachineChecks.privileged(host));
        preflight.run(InitChecks.of(host, run.config(), run.node().cluster(), out));
        out.step("preflight", "Pulling images required for setting up a Kubernetes cluster");
        preflight.run(InitChecks.imagePull(
                host,
                ImagePulls.of(
                        run.node().registration(),
                        Images.all(run.node().cluster()),
                        Images.of(run.node().cluster()).pause())));
        return run;
    }
}
