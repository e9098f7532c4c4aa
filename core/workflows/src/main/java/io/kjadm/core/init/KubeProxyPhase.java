package io.kjadm.core.init;

import io.kjadm.core.addon.KubeProxy;
import io.kjadm.core.node.ControlPlanePods;
import io.kjadm.core.node.PatchDirectory;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Addon;

/** {@code addon/kube-proxy}: makes Services reachable on every node. */
record KubeProxyPhase(AdminWriters writes, ControlPlanePods pods, PatchDirectory patches)
        implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "kube-proxy",
                "Install the kube-proxy addon to a Kubernetes cluster",
                InitPhaseFlags.KUBE_PROXY);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        Addon addon = KubeProxy.of(
                run.node().cluster(),
                run.node().controlPlaneEndpoint(),
                run.kubeProxy(),
                pods,
                KubeProxy.patching(patches, run.node().patches()));
        if (run.options().printManifest()) {
            out.print(addon.print());
            return run;
        }
        writes.of(run, "addons", out).apply(addon.inWriteOrder());
        out.step("addons", "Applied essential addon: kube-proxy");
        return run;
    }
}
