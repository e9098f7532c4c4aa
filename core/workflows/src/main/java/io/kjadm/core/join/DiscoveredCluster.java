package io.kjadm.core.join;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.manifests.Kubeconfig;

/**
 * What a joining node found out about the cluster before it became part of it.
 *
 * @param bootstrap kubeconfig the kubelet asks for its certificate with
 * @param access    the same for this program
 * @param caPem     the cluster's CA certificates
 * @param cluster   its configuration
 * @param kubelet   its kubelets' configuration
 * @param texts     both as they were read
 */
public record DiscoveredCluster(
        Kubeconfig bootstrap,
        KubeAccess access,
        String caPem,
        ClusterConfiguration cluster,
        KubeletConfig kubelet,
        ClusterTexts texts) {

    @Override
    public String toString() {
        return "DiscoveredCluster[%s at %s]".formatted(cluster.clusterName(), access.server());
    }
}
