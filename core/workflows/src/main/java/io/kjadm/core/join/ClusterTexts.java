package io.kjadm.core.join;

import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ClusterDocuments;
import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.config.VersionResolver;
import io.kjadm.core.error.UsageException;

import java.util.function.Consumer;

/**
 * The cluster's configuration as its ConfigMaps have it; there is no secret in it.
 *
 * @param cluster value {@code ClusterConfiguration} of {@code kubeadm-config}
 * @param kubelet value {@code kubelet} of {@code kubelet-config}
 */
record ClusterTexts(String cluster, String kubelet) {

    /**
     * The configuration that this node joins.
     *
     * @throws UsageException if a control plane of its version is too old to be deployed
     */
    ClusterConfiguration cluster(JoinConfiguration config, Consumer<String> warnings) {
        ClusterConfiguration stored = new ClusterDocuments(warnings)
                .cluster(
                        cluster,
                        config.controlPlane()
                                .map(part -> part.localApiEndpoint().bindPort())
                                .orElse(ApiEndpoint.DEFAULT_PORT));
        if (config.controlPlane().isPresent()) {
            VersionResolver.requireDeployable(stored.version());
        }
        return stored;
    }

    KubeletConfig kubelet(ClusterConfiguration of, Consumer<String> warnings) {
        return new ClusterDocuments(warnings).kubelet(kubelet, false, of);
    }
}
