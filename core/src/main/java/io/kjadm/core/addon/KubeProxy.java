package io.kjadm.core.addon;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.KubeProxyConfig;
import io.kjadm.core.node.ControlPlanePods;
import io.kjadm.manifests.Addon;
import io.kjadm.manifests.ConfigurationMaps.Origin;
import io.kjadm.manifests.KubeProxyAddon;
import io.kjadm.manifests.ManifestYaml;

import java.net.URI;

/** What makes Services reachable on every node, as a configuration wants it. */
public final class KubeProxy {

    private KubeProxy() {}

    /**
     * Its objects.
     *
     * @param endpoint the stable endpoint of the control plane
     * @param pods     knows the proxy variables of this machine
     */
    public static Addon of(
            ClusterConfiguration cluster,
            URI endpoint,
            KubeProxyConfig config,
            ControlPlanePods pods) {
        return KubeProxyAddon.build(new KubeProxyAddon.Input(
                Images.of(cluster).kubeProxy(),
                endpoint.toString(),
                ManifestYaml.write(config.tree()),
                config.userSupplied() ? Origin.USER_SUPPLIED : Origin.GENERATED,
                pods.proxyVariables()));
    }
}
