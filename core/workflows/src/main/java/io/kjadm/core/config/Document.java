package io.kjadm.core.config;

import java.util.List;
import java.util.Map;

/**
 * One document of a configuration.
 *
 * @param source the file, ConfigMap or command line it comes from, for messages
 * @param duplicates paths of keys that were given more than once
 * @param flags for a document made of flags: the flag behind each field path
 */
record Document(
        String source,
        String group,
        String version,
        String kind,
        Map<String, Object> tree,
        List<String> duplicates,
        Map<String, String> flags) {

    static final String KUBEADM_GROUP = "kubeadm.k8s.io";
    static final String KUBELET_GROUP = "kubelet.config.k8s.io";
    static final String KUBE_PROXY_GROUP = "kubeproxy.config.k8s.io";
    /** Experimental: a copy of v1beta4 that grows. */
    static final String V1 = "v1";

    static final String V1BETA4 = "v1beta4";
    static final String V1BETA3 = "v1beta3";

    static final String INIT = "InitConfiguration";
    static final String CLUSTER = "ClusterConfiguration";
    static final String JOIN = "JoinConfiguration";
    static final String RESET = "ResetConfiguration";
    static final String UPGRADE = "UpgradeConfiguration";
    static final String KUBELET = "KubeletConfiguration";
    static final String KUBE_PROXY = "KubeProxyConfiguration";

    Document {
        tree = YamlTrees.freeze(tree);
        duplicates = List.copyOf(duplicates);
        flags = Map.copyOf(flags);
    }

    /** A document that exists only because nobody gave one, or because flags stand for it. */
    static Document of(
            String source, String kind, Map<String, Object> tree, Map<String, String> flags) {
        return new Document(source, KUBEADM_GROUP, V1BETA4, kind, tree, List.of(), flags);
    }

    String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** The document with another tree, in the shape of the current version. */
    Document inCurrentVersion(Map<String, Object> other) {
        return new Document(source, group, V1BETA4, kind, other, duplicates, flags);
    }

    /** How messages call a field of this document: the flag it was set with, else its path. */
    String label(String path) {
        String flag = flags.get(path);
        return flag != null ? "--" + flag : path.isEmpty() ? kind : kind + " " + path;
    }
}
