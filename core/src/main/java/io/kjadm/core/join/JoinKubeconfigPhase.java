package io.kjadm.core.join;

import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.node.KubeconfigStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateSet;

/** {@code control-plane-prepare/kubeconfig}: the kubeconfigs of administrator and components. */
final class JoinKubeconfigPhase implements Phase<JoinRun> {

    private final Discoverer discoverer;
    private final CertificateStore certificates;
    private final KubeconfigStore store;

    JoinKubeconfigPhase(Discoverer discoverer, CertificateStore certificates, KubeconfigStore store) {
        this.discoverer = discoverer;
        this.certificates = certificates;
        this.store = store;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("kubeconfig", "Generate the kubeconfig for the new control plane components", JoinFlagNames.KUBECONFIG);
    }

    @Override
    public boolean applies(JoinRun run) {
        return run.controlPlane();
    }

    @Override
    public JoinRun run(JoinRun given, Reporter out) {
        JoinRun run = discoverer.ensure(given, out);
        out.step("kubeconfig", "Generating kubeconfig files");
        if (certificates.isExternal(run.node(), CertificateSet.CA)) {
            out.step("kubeconfig", "External CA: using the kubeconfig files provided");
            return run;
        }
        KubeconfigSpec.JOINING_NODE.forEach(spec -> store.provide(run.node(), spec));
        return run;
    }
}
