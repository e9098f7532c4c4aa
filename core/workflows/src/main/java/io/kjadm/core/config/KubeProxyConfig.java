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

    /** The mode; empty for the platform's default. */
    public String mode() {
        return YamlTrees.at(tree, "mode").map(Object::toString).orElse("");
    }

    public String bindAddress() {
        return YamlTrees.at(tree, "bindAddress").map(Object::toString).orElse("");
    }
}
