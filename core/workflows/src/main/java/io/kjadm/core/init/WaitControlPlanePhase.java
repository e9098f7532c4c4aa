package io.kjadm.core.init;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.MemberMarker;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ClusterAdminClient;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/**
 * {@code wait-control-plane}: kubelet, then components, then the administrator's rights. kubeadm
 * asks for the rights first, within a minute; a slow API server fails there.
 */
record WaitControlPlanePhase(
        Machine machine, ComponentHealth health, KubeClients clients, ClusterAdminClient admin)
        implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "wait-control-plane", "Wait for the control plane to start", InitPhaseFlags.NONE);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        ControlPlaneNode node = run.node();
        out.step(
                "wait-control-plane",
                "Waiting for the kubelet to boot up the control plane as static Pods from directory \"%s\""
                        .formatted(node.paths().manifestsDir()));
        health.awaitKubelet(node.kubelet(), node.timeouts().kubeletHealthCheck());
        // /livez is open to everybody who is authenticated; rights are needed only afterwards
        health.awaitComponents(node, clients.of(run.options().kubeconfig(), node.localEndpoint()));
        if (node.cluster().etcd() instanceof LocalEtcd etcd) {
            MemberMarker.adopt(machine.files(), etcd.dataDir(), machine.waiter().now());
        }
        admin.connect(node, run.options().kubeconfig(), out);
        return run;
    }
}
