package io.kjadm.core.config;

import java.util.Map;

/**
 * The configuration document of kube-proxy as a tree; what this program does not use passes
 * through.
 *
 * @param userSupplied whether somebody wrote or edited it, so that it is not ours to regenerate
 */
public record KubeProxyConfig(Map<String, Object> tree, boolean userSupplied) {

    public KubeProxyConfig {
        tree = YamlTrees.freeze(tree);
    }

    public String bindAddress() {
        return YamlTrees.at(tree, "bindAddress").map(Object::toString).orElse("");
    }
}
