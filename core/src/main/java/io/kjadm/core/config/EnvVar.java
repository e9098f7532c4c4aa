package io.kjadm.core.config;

import java.util.Map;

/**
 * An environment variable of a container.
 *
 * @param valueFrom the source of the value as the raw tree of a core/v1 EnvVarSource, or empty
 */
public record EnvVar(String name, String value, Map<String, Object> valueFrom) {

    public EnvVar {
        valueFrom = YamlTrees.freeze(valueFrom);
    }

    public EnvVar(String name, String value) {
        this(name, value, Map.of());
    }
}
