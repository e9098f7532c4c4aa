package io.kjadm.core.init;

import io.kjadm.core.flag.Flag;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.node.KubeconfigStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code kubeconfig/NAME}: one kubeconfig; with an external CA the operator's is only checked. */
record KubeconfigPhase(KubeconfigSpec spec, KubeconfigStore store) implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        Flag[] flags = spec == KubeconfigSpec.KUBELET
                ? InitPhaseFlags.KUBELET_KUBECONFIG
                : InitPhaseFlags.KUBECONFIG;
        return PhaseInfo.of(spec.phase(), "Generate a kubeconfig file for " + spec.whose(), flags);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        if (run.externalCa()) {
            store.check(run.node(), spec);
            out.step(
                    "kubeconfig",
                    "External CA: using the provided \"%s\"".formatted(spec.fileName()));
            return run;
        }
        store.provide(run.node(), spec);
        return run;
    }
}
