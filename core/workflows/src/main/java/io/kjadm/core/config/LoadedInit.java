package io.kjadm.core.config;

/** Everything {@code init} is configured with: complete, detected and checked. */
public record LoadedInit(
        InitConfiguration init,
        ClusterConfiguration cluster,
        KubeletConfig kubelet,
        KubeProxyConfig kubeProxy) {

    /** The same with another cluster. */
    public LoadedInit withCluster(ClusterConfiguration other) {
        return new LoadedInit(init, other, kubelet, kubeProxy);
    }
}
