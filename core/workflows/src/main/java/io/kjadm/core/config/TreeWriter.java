package io.kjadm.core.config;

import io.kjadm.core.value.GoDuration;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds one object of an output tree; what is empty is left out unless it must be there. */
final class TreeWriter {

    private final Map<String, Object> tree = new LinkedHashMap<>();

    /** Starts a document of kubeadm's group, in the only version that is written. */
    static TreeWriter document(String kind) {
        return new TreeWriter()
                .always("apiVersion", Document.KUBEADM_GROUP + "/" + Document.V1BETA4)
                .always("kind", kind);
    }

    Map<String, Object> tree() {
        return tree;
    }

    TreeWriter always(String name, Object value) {
        tree.put(name, value);
        return this;
    }

    TreeWriter always(String name, TreeWriter value) {
        return always(name, value.tree);
    }

    TreeWriter text(String name, String value) {
        return value.isEmpty() ? this : always(name, value);
    }

    TreeWriter text(String name, Optional<?> value) {
        return text(name, value.map(Object::toString).orElse(""));
    }

    TreeWriter flag(String name, boolean value) {
        return value ? always(name, true) : this;
    }

    TreeWriter duration(String name, Duration value) {
        return always(name, GoDuration.text(value));
    }

    TreeWriter list(String name, List<?> values) {
        return values.isEmpty() ? this : always(name, values);
    }

    TreeWriter map(String name, Map<String, ?> values) {
        return values.isEmpty() ? this : always(name, new LinkedHashMap<>(values));
    }

    /** The document as YAML. */
    String yaml() {
        return YamlText.write(tree());
    }
}
