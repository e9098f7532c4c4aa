package io.kjadm.core.init;

import io.kjadm.core.config.Images;
import io.kjadm.core.config.KubeProxyConfig;
import io.kjadm.core.node.ControlPlanePods;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Addon;
import io.kjadm.manifests.ConfigurationMaps.Origin;
import io.kjadm.manifests.KubeProxyAddon;
import io.kjadm.manifests.ManifestYaml;

/** {@code addon/kube-proxy}: makes Services reachable on every node. */
final class KubeProxyPhase implements Phase<InitRun> {

    private final AdminObjectWriter writes;
    private final ControlPlanePods pods;

    KubeProxyPhase(AdminObjectWriter writes, ControlPlanePods pods) {
        this.writes = writes;
        this.pods = pods;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "kube-proxy",
                "Install the kube-proxy addon to a Kubernetes cluster",
                InitPhaseFlags.KUBE_PROXY);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        KubeProxyConfig config = run.kubeProxy();
        Addon addon = KubeProxyAddon.build(new KubeProxyAddon.Input(
                Images.of(run.node().cluster()).kubeProxy(),
                run.node().controlPlaneEndpoint().toString(),
                ManifestYaml.write(config.tree()),
                config.userSupplied() ? Origin.USER_SUPPLIED : Origin.GENERATED,
                pods.proxyVariables()));
        if (run.options().printManifest()) {
            out.print(addon.print());
            return run;
        }
        writes.apply(run, "addons", addon.inWriteOrder(), out);
        out.step("addons", "Applied essential addon: kube-proxy");
        return run;
    }
}
