package io.kjadm.manifests;

import java.util.LinkedHashMap;
import java.util.Map;

/** JSON merge patch (RFC 7386): objects merge, {@code null} removes, everything else replaces. */
final class MergePatch {

    private MergePatch() {}

    /** A new object; neither argument is changed. */
    static Map<String, Object> apply(Map<String, Object> target, Map<String, Object> patch) {
        var merged = new LinkedHashMap<>(
                ManifestYaml.castToObject((Map<?, ?>) ManifestYaml.copy(target)));
        patch.forEach((field, value) -> {
            switch (value) {
                case null -> merged.remove(field);
                case Map<?, ?> map ->
                    merged.put(
                            field,
                            apply(
                                    objectOrEmpty(merged.get(field)),
                                    ManifestYaml.castToObject(map)));
                default -> merged.put(field, ManifestYaml.copy(value));
            }
        });
        return merged;
    }

    private static Map<String, Object> objectOrEmpty(Object value) {
        return value instanceof Map<?, ?> map ? ManifestYaml.castToObject(map) : Map.of();
    }
}
