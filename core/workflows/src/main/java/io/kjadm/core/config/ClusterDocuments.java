package io.kjadm.core.config;

import io.kjadm.core.error.ClusterException;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Reads the configuration back from the cluster's ConfigMaps. It was accepted once, perhaps by
 * another release, so what would be refused in a file is only mentioned here. Any version
 * that is known is read; what deploys one asks {@link VersionResolver#requireDeployable}.
 */
public final class ClusterDocuments {

    private final Consumer<String> warnings;
    private final StrictDecoder gate;

    public ClusterDocuments(Consumer<String> warnings) {
        this.warnings = warnings;
        this.gate = new StrictDecoder(false, false, warnings);
    }

    /**
     * The value {@code ClusterConfiguration} of the ConfigMap {@code kubeadm-config}.
     *
     * @param bindPort the port for a control-plane endpoint stored without one
     */
    public ClusterConfiguration cluster(String yaml, int bindPort) {
        Document document = RemovedGates.ofStored(
                document("ConfigMap kubeadm-config", Document.CLUSTER, yaml), warnings);
        FieldErrors errors = FieldErrors.none();
        ClusterConfiguration cluster = new ClusterReader(document, errors, warnings).read(bindPort);
        errors.all().forEach(error -> warnings.accept("ConfigMap kubeadm-config: " + error));
        return new VersionResolver(
                        url -> {
                            throw new IOException(
                                    "labels in the cluster's configuration are not looked up");
                        },
                        warnings)
                .resolve(cluster);
    }

    /** The value {@code kubelet} of the ConfigMap {@code kubelet-config}. */
    public KubeletConfig kubelet(String yaml, boolean userSupplied, ClusterConfiguration cluster) {
        Document document = document("ConfigMap kubelet-config", Document.KUBELET, yaml);
        return new ComponentDefaults(warnings).kubelet(document.tree(), userSupplied, cluster);
    }

    /** The value {@code config.conf} of the ConfigMap {@code kube-proxy}. */
    public KubeProxyConfig kubeProxy(
            String yaml, boolean userSupplied, ClusterConfiguration cluster) {
        Document document = document("ConfigMap kube-proxy", Document.KUBE_PROXY, yaml);
        return new ComponentDefaults(warnings)
                .kubeProxy(document.tree(), userSupplied, cluster, "");
    }

    private Document document(String name, String kind, String yaml) {
        return gate.check(ConfigurationFile.of(name, yaml)
                .document(kind)
                .orElseThrow(() -> new ClusterException(
                        "%s has no %s".formatted(name, kind),
                        "it holds something else",
                        "look at it with kubectl and repair it")));
    }
}
