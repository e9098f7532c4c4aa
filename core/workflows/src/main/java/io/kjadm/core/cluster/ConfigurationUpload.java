package io.kjadm.core.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ConfigurationYaml;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.ConfigurationMaps.Origin;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.RbacObjects;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the configuration where joining nodes read it, with the right to do so
 * ({@code cmd/kubeadm/app/phases/uploadconfig} and {@code phases/kubelet/config.go}).
 */
public final class ConfigurationUpload {

    private ConfigurationUpload() {}

    /** The cluster's, in ConfigMap {@code kubeadm-config}; other entries of it stay. */
    public static void kubeadm(ClusterConfiguration cluster, ClusterWriter to) {
        to.merge(ConfigurationMaps.kubeadmConfig(ConfigurationYaml.cluster(cluster)));
        to.apply(RbacObjects.kubeadmConfig());
    }

    /**
     * The same, with a tag of etcd's image that kjadm sets and takes out again when a later etcd
     * goes with Kubernetes.
     */
    public static void kubeadm(ClusterConfiguration cluster, String ownEtcdTag, ClusterWriter to) {
        to.merge(ConfigurationMaps.kubeadmConfig(ConfigurationYaml.cluster(cluster))
                .edit()
                .editMetadata()
                .addToAnnotations(ConfigurationMaps.OWN_ETCD_TAG, ownEtcdTag)
                .endMetadata()
                .build());
        to.apply(RbacObjects.kubeadmConfig());
    }

    /** The kubelets', without what is one node's, in ConfigMap {@code kubelet-config}. */
    public static void kubelet(KubeletConfig kubelet, ClusterWriter to) {
        List<HasMetadata> objects = new ArrayList<>();
        objects.add(ConfigurationMaps.kubeletConfig(
                ManifestYaml.write(kubelet.tree()),
                kubelet.userSupplied() ? Origin.USER_SUPPLIED : Origin.GENERATED));
        objects.addAll(RbacObjects.kubeletConfig());
        to.apply(objects);
    }
}
