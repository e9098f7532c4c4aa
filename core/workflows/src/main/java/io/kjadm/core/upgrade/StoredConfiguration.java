package io.kjadm.core.upgrade;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ClusterDocuments;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.KubeProxyConfig;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.version.EtcdMemberExchange;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.manifests.ComponentConfigHash;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.KubeSystem;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * The configuration of the cluster as its ConfigMaps have it.
 *
 * @param cluster   with the version that it has stored
 * @param kubeProxy empty where kube-proxy is not installed by this family of programs, or may not be
 *     read, as by a worker
 * @param ownEtcdTag whether the tag of etcd's image in it is one that {@code etcd upgrade} set, and
 *     not the operator
 */
public record StoredConfiguration(
        ClusterConfiguration cluster,
        KubeletConfig kubelet,
        Optional<KubeProxyConfig> kubeProxy,
        boolean ownEtcdTag) {

    private static final String AREA = "upgrade";

    /**
     * Reads it.
     *
     * @param calls    repeat what fails in passing
     * @param version  the configuration's version is taken for this one, so that what is made from
     *                 it is the next one's; empty for the stored one
     * @param warnings takes sentences about what works and should be reconsidered
     * @throws ClusterException if there is no configuration, or it may not be read
     */
    public static StoredConfiguration read(
            KubeApi api, KubeCalls calls, Optional<String> version, Consumer<String> warnings) {
        ClusterDocuments documents = new ClusterDocuments(warnings);
        Optional<ConfigMap> map = map(api, calls, ConfigurationMaps.KUBEADM_CONFIG);
        ClusterConfiguration stored = documents.cluster(
                value(
                        map,
                        ConfigurationMaps.KUBEADM_CONFIG,
                        ConfigurationMaps.KUBEADM_CONFIG_KEY,
                        "upload it with 'kjadm init phase upload-config kubeadm --config FILE'"),
                ApiEndpoint.DEFAULT_PORT);
        boolean ownTag = hasOwnEtcdTag(map, stored);
        ClusterConfiguration cluster =
                version.map(wanted -> at(stored, wanted, ownTag)).orElse(stored);
        if (version.isPresent() && ownTag && !cluster.etcd().equals(stored.etcd())) {
            warnings.accept(
                    "etcd.local.imageTag %s, which 'kjadm etcd upgrade' set, is left out: a later etcd goes with Kubernetes %s"
                            .formatted(Images.of(stored).etcdTag(), cluster.kubernetesVersion()));
        }
        Optional<ConfigMap> kubelet = map(api, calls, ConfigurationMaps.KUBELET_CONFIG);
        Optional<ConfigMap> kubeProxy = ifAllowed(api, calls, ConfigurationMaps.KUBE_PROXY);
        return new StoredConfiguration(
                cluster,
                documents.kubelet(
                        value(
                                kubelet,
                                ConfigurationMaps.KUBELET_CONFIG,
                                ConfigurationMaps.KUBELET_CONFIG_KEY,
                                "upload it with 'kjadm init phase upload-config kubelet --config FILE'"),
                        userSupplied(kubelet),
                        cluster),
                kubeProxy
                        .map(ConfigMap::getData)
                        .map(data -> data.get(ConfigurationMaps.KUBE_PROXY_KEY))
                        .map(text -> documents.kubeProxy(text, userSupplied(kubeProxy), cluster)),
                ownTag);
    }

    private static boolean hasOwnEtcdTag(
            Optional<ConfigMap> map, ClusterConfiguration configuration) {
        return configuration.etcd() instanceof LocalEtcd etcd
                && etcd.imageTag().isPresent()
                && etcd.imageTag()
                        .equals(map.map(ConfigMap::getMetadata)
                                .map(ObjectMeta::getAnnotations)
                                .map(annotations ->
                                        annotations.get(ConfigurationMaps.OWN_ETCD_TAG)));
    }

    /**
     * The cluster's configuration for another version of Kubernetes. A tag of etcd's image that
     * {@code etcd upgrade} set is left out if the etcd that goes with the version is newer; one that
     * the operator set stays.
     */
    public ClusterConfiguration at(String version) {
        return at(cluster, version, ownEtcdTag);
    }

    private static ClusterConfiguration at(
            ClusterConfiguration cluster, String version, boolean ownEtcdTag) {
        ClusterConfiguration next = cluster.withKubernetesVersion(version, false);
        if (!ownEtcdTag || !(next.etcd() instanceof LocalEtcd etcd)) {
            return next;
        }
        ClusterConfiguration without = next.withEtcd(etcd.withImageTag(Optional.empty()));
        return EtcdMemberExchange.version(Images.of(next).etcd())
                                .compareTo(EtcdMemberExchange.version(
                                        Images.of(without).etcd()))
                        < 0
                ? without
                : next;
    }

    private static Optional<ConfigMap> map(KubeApi api, KubeCalls calls, String name) {
        return calls.repeatUntilAllowed(
                AREA,
                "read ConfigMap " + name,
                () -> api.get(ConfigMap.class, KubeSystem.NAMESPACE, name));
    }

    /** A worker may read what it needs, and the configuration of kube-proxy is not among that. */
    private static Optional<ConfigMap> ifAllowed(KubeApi api, KubeCalls calls, String name) {
        try {
            return calls.repeat(
                    AREA,
                    "read ConfigMap " + name,
                    () -> api.get(ConfigMap.class, KubeSystem.NAMESPACE, name));
        } catch (ClusterException e) {
            if (e.getCause() instanceof KubeApiException refusal
                    && refusal.kind() == KubeApiException.Kind.FORBIDDEN) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static boolean userSupplied(Optional<ConfigMap> map) {
        return map.filter(ComponentConfigHash::isGenerated).isEmpty();
    }

    private static String value(Optional<ConfigMap> map, String name, String key, String next) {
        return map.map(ConfigMap::getData)
                .map(data -> data.get(key))
                .orElseThrow(() -> new ClusterException(
                        map.isEmpty()
                                ? "there is no ConfigMap " + name
                                : "ConfigMap %s has no %s".formatted(name, key),
                        "the cluster stores its configuration there",
                        next));
    }
}
