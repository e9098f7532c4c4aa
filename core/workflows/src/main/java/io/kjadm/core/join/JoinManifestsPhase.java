package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateSet;

/**
 * {@code control-plane-prepare/control-plane}: the manifests of API server, controller manager and
 * scheduler. With a stacked etcd they are held back until this node's member votes: an API server
 * started earlier only fails, and is then kept waiting by the kubelet before its next try.
 */
record JoinManifestsPhase(CertificateStore certificates, ManifestStore manifests)
        implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "control-plane",
                "Generate the manifests for the new control plane components",
                JoinPhaseFlags.MANIFESTS);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        run.begin();
        ControlPlaneNode node = run.node();
        out.step(
                "control-plane",
                "Using manifest folder \"%s\"".formatted(node.paths().manifestsDir()));
        ManifestStore target =
                node.cluster().etcd() instanceof LocalEtcd ? manifests.holdingBack() : manifests;
        out.step("control-plane", "Creating static Pod manifest for \"kube-apiserver\"");
        target.writeApiServer(node);
        out.step("control-plane", "Creating static Pod manifest for \"kube-controller-manager\"");
        target.writeControllerManager(node, certificates.isExternal(node, CertificateSet.CA));
        out.step("control-plane", "Creating static Pod manifest for \"kube-scheduler\"");
        target.writeScheduler(node);
        return run;
    }
}
