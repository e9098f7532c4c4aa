package io.kjadm.core.addon;

import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.KubeProxyConfig;
import io.kjadm.core.node.ControlPlanePods;
import io.kjadm.core.node.PatchDirectory;
import io.kjadm.manifests.Addon;
import io.kjadm.manifests.ConfigurationMaps.Origin;
import io.kjadm.manifests.KubeProxyAddon;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.PatchTarget;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What makes Services reachable on every node, as a configuration wants it. */
public final class KubeProxy {

    private KubeProxy() {}

    /**
     * Its objects.
     *
     * @param endpoint the stable endpoint of the control plane
     * @param pods     knows the proxy variables of this machine
     * @param patch    changes its DaemonSet as the operator wants it
     */
    public static Addon of(
            ClusterConfiguration cluster,
            URI endpoint,
            KubeProxyConfig config,
            ControlPlanePods pods,
            UnaryOperator<DaemonSet> patch) {
        KubeProxyAddon.Input input = new KubeProxyAddon.Input(
                Images.of(cluster).kubeProxy(),
                endpoint.toString(),
                ManifestYaml.write(config.tree()),
                config.userSupplied() ? Origin.USER_SUPPLIED : Origin.GENERATED,
                pods.proxyVariables());
        return KubeProxyAddon.build(input, patch.apply(KubeProxyAddon.daemonSet(input)));
    }

    /** Applies the patches of a directory, if there is one. */
    public static UnaryOperator<DaemonSet> patching(
            PatchDirectory patches, Optional<Path> directory) {
        return daemonSet -> patches.patched(
                directory, PatchTarget.KUBE_PROXY_DAEMONSET, daemonSet, DaemonSet.class);
    }
}
