package io.kjadm.core.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What makes two joins of a machine the same join: the fields of its configuration by their path,
 * without secrets and without what only says how patiently or how loudly it is done. How the
 * cluster is found does not count either: a token may have expired meanwhile.
 *
 * @param values texts by field path, {@code nodeRegistration.name} for example
 */
public record JoinSettings(SortedMap<String, String> values) {

    private static final List<String> PASSED_OVER = List.of(
            "apiVersion",
            "kind",
            "dryRun",
            "discovery",
            "skipPhases",
            "timeouts",
            "controlPlane.certificateKey",
            "nodeRegistration.ignorePreflightErrors",
            "nodeRegistration.imagePullPolicy",
            "nodeRegistration.imagePullSerial");

    public JoinSettings {
        values = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(values));
    }

    /** The settings of a configuration. */
    public static JoinSettings of(JoinConfiguration config) {
        SortedMap<String, String> values = new TreeMap<>();
        flatten("", ConfigurationYaml.joinTree(config), values);
        values.put("controlPlane", Boolean.toString(config.controlPlane().isPresent()));
        return new JoinSettings(values);
    }

    private static void flatten(String path, Object value, Map<String, String> into) {
        if (PASSED_OVER.contains(path)) {
            return;
        }
        if (value instanceof TreeWriter nested) {
            flatten(path, nested.tree(), into);
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, below) ->
                    flatten(path.isEmpty() ? key.toString() : path + "." + key, below, into));
        } else if (value != null) {
            into.put(path, value.toString());
        }
    }

    /** Every field that differs, as "nodeRegistration.name was cp-2, is cp-3". */
    public List<String> changesTo(JoinSettings now) {
        List<String> changes = new ArrayList<>();
        var paths = new TreeSet<>(values.keySet());
        paths.addAll(now.values.keySet());
        for (String path : paths) {
            String before = values.get(path);
            String after = now.values.get(path);
            if (!Objects.equals(before, after)) {
                changes.add("%s was %s, is %s".formatted(path, shown(before), shown(after)));
            }
        }
        return changes;
    }

    private static String shown(String value) {
        return value == null ? "not set" : value;
    }
}
