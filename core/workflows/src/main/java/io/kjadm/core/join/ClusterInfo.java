package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.manifests.ConfigurationMaps;

import java.util.Map;
import java.util.Optional;

/** The public {@code cluster-info} ConfigMap: a kubeconfig and its signatures. */
record ClusterInfo(String kubeconfig, Map<String, String> data) {

    /** Reads it; empty if there is none. */
    static Optional<ClusterInfo> read(KubeApi api) throws KubeApiException {
        return api.get(ConfigMap.class, "kube-public", ConfigurationMaps.CLUSTER_INFO)
                .map(map -> map.getData() == null ? Map.<String, String>of() : map.getData())
                .map(data -> new ClusterInfo(
                        data.getOrDefault(ConfigurationMaps.CLUSTER_INFO_KEY, ""), data));
    }

    /** The signature with a token, if that token signs. */
    Optional<String> signature(String dataKey) {
        return Optional.ofNullable(data.get(dataKey));
    }
}
