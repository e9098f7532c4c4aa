package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * An environment variable of a container. {@code value} is empty where {@code valueFrom}, the tree
 * of a Kubernetes {@code EnvVarSource}, says where it comes from.
 */
public record EnvVariable(String name, String value, Map<String, Object> valueFrom) {

    public EnvVariable {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
        // trees may hold nulls
        valueFrom = Collections.unmodifiableMap(new LinkedHashMap<>(valueFrom));
    }

    public EnvVariable(String name, String value) {
        this(name, value, Map.of());
    }

    /**
     * Both lists as one, sorted by name; of one name the last counts, so {@code overriding} wins.
     */
    static List<EnvVar> merge(Collection<EnvVariable> base, Collection<EnvVariable> overriding) {
        var byName = new TreeMap<String, EnvVariable>();
        Stream.concat(base.stream(), overriding.stream())
                .forEach(variable -> byName.put(variable.name(), variable));
        return byName.values().stream().map(EnvVariable::toModel).toList();
    }

    EnvVar toModel() {
        var model = new EnvVar();
        model.setName(name);
        if (!value.isEmpty()) {
            model.setValue(value);
        }
        if (!valueFrom.isEmpty()) {
            model.setValueFrom(source());
        }
        return model;
    }

    private EnvVarSource source() {
        EnvVarSource source = ManifestYaml.typed(valueFrom, EnvVarSource.class);
        if (source.getFieldRef() != null && source.getFieldRef().getApiVersion() == null) {
            source.getFieldRef().setApiVersion("v1");
        }
        return source;
    }
}
