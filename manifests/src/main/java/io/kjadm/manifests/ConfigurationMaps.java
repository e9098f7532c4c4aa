package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;

import java.util.Map;

/** The ConfigMaps in which a cluster keeps its configuration. */
public final class ConfigurationMaps {

    public static final String KUBEADM_CONFIG = "kubeadm-config";
    public static final String KUBEADM_CONFIG_KEY = "ClusterConfiguration";

    /** Annotation of {@code kubeadm-config}: the tag of etcd's image that kjadm set in it, not the operator. */
    public static final String OWN_ETCD_TAG = "kjadm.io/etcd-image-tag";

    public static final String KUBELET_CONFIG = "kubelet-config";
    public static final String KUBELET_CONFIG_KEY = "kubelet";
    public static final String KUBE_PROXY = "kube-proxy";
    public static final String KUBE_PROXY_KEY = "config.conf";
    public static final String CLUSTER_INFO = "cluster-info";
    public static final String CLUSTER_INFO_KEY = "kubeconfig";

    private ConfigurationMaps() {}

    /**
     * Where a component configuration comes from: made by this program, or a document of the
     * operator's.
     */
    public enum Origin {
        GENERATED,
        USER_SUPPLIED
    }

    /** {@code kube-system/kubeadm-config} with the v1beta4 text of the ClusterConfiguration. */
    public static ConfigMap kubeadmConfig(String clusterConfiguration) {
        return map(
                KubeSystem.NAMESPACE,
                KUBEADM_CONFIG,
                Map.of(KUBEADM_CONFIG_KEY, clusterConfiguration));
    }

    /** {@code kube-system/kubelet-config} with the cluster-wide KubeletConfiguration. */
    public static ConfigMap kubeletConfig(String kubeletConfiguration, Origin origin) {
        return marked(
                map(
                        KubeSystem.NAMESPACE,
                        KUBELET_CONFIG,
                        Map.of(KUBELET_CONFIG_KEY, kubeletConfiguration)),
                origin);
    }

    /** {@code kube-public/cluster-info}, unsigned; the controller manager adds the signatures. */
    public static ConfigMap clusterInfo(Kubeconfig clusterInfo) {
        return map("kube-public", CLUSTER_INFO, Map.of(CLUSTER_INFO_KEY, clusterInfo.render()));
    }

    static ConfigMap marked(ConfigMap map, Origin origin) {
        return switch (origin) {
            case GENERATED -> ComponentConfigHash.mark(map);
            case USER_SUPPLIED -> map;
        };
    }

    static ConfigMap map(String namespace, String name, Map<String, String> data) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withData(data)
                .build();
    }
}
