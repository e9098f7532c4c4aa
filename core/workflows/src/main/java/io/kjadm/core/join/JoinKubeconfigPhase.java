package io.kjadm.core.join;

import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.node.KubeconfigStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateSet;

/** {@code control-plane-prepare/kubeconfig}: the kubeconfigs of administrator and components. */
record JoinKubeconfigPhase(CertificateStore certificates, KubeconfigStore store)
        implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "kubeconfig",
                "Generate the kubeconfig for the new control plane components",
                JoinPhaseFlags.KUBECONFIG);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        out.step("kubeconfig", "Generating kubeconfig files");
        if (certificates.isExternal(run.node(), CertificateSet.CA)) {
            out.step("kubeconfig", "External CA: using the kubeconfig files provided");
            return run;
        }
        run.begin();
        KubeconfigSpec.JOINING_NODE.forEach(spec -> store.provide(run.node(), spec));
        return run;
    }
}
