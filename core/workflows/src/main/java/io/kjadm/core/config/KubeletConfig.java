package io.kjadm.core.config;

import java.util.Map;
import java.util.Optional;

/**
 * The kubelet's configuration document as a tree; what this program does not use passes through.
 *
 * @param userSupplied whether somebody wrote or edited it, so that it is not ours to regenerate
 */
public record KubeletConfig(Map<String, Object> tree, boolean userSupplied) {

    public KubeletConfig {
        tree = YamlTrees.freeze(tree);
    }

    public String healthzBindAddress() {
        return text("healthzBindAddress").orElse("127.0.0.1");
    }

    public int healthzPort() {
        return YamlTrees.at(tree, "healthzPort")
                .map(n -> ((Number) n).intValue())
                .orElse(10248);
    }

    public Optional<String> resolvConf() {
        return text("resolvConf");
    }

    /** The same configuration with one field, given by its path of keys, set to a value. */
    public KubeletConfig with(Object value, String... path) {
        Map<String, Object> changed = YamlTrees.thaw(tree);
        YamlTrees.put(changed, value, path);
        return new KubeletConfig(changed, userSupplied);
    }

    /** The same origin with another tree, for example after patches. */
    public KubeletConfig withTree(Map<String, Object> other) {
        return new KubeletConfig(other, userSupplied);
    }

    private Optional<String> text(String key) {
        return YamlTrees.at(tree, key).map(Object::toString);
    }
}
