package io.kjadm.core.init;

import io.kjadm.core.host.Services;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.node.ResolvConf;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code kubelet-start}: writes the kubelet's files and (re)starts it with them. */
record KubeletStartPhase(KubeletFileStore kubeletFiles, Services services)
        implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "kubelet-start",
                "Write kubelet settings and (re)start the kubelet",
                InitPhaseFlags.KUBELET_START);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        services.stop("kubelet").ifPresent(out::warn);
        kubeletFiles.write(new KubeletFileStore.Input(
                run.node().registration(),
                ResolvConf.applied(run.node().kubelet(), services),
                run.node().patches(),
                run.node().paths(),
                true));
        out.step("kubelet-start", "Starting the kubelet");
        services.restart("kubelet").ifPresent(out::warn);
        return run;
    }
}
