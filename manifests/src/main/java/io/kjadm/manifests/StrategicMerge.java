package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Kubernetes' strategic merge patch: objects merge field by field, {@code null} removes a field,
 * and lists with a merge key merge item by item. Directives: {@code $patch} ({@code replace},
 * {@code delete}, {@code merge}) in an object or item, {@code $retainKeys}, {@code
 * $deleteFromPrimitiveList/<field>} and {@code $setElementOrder/<field>}.
 *
 * <p>Lists without a merge key are replaced as a whole. Field names are enough to tell them: within
 * pods and Deployments none means two kinds of list.
 */
final class StrategicMerge {

    private static final String DIRECTIVE = "$patch";
    private static final String RETAIN_KEYS = "$retainKeys";
    private static final String DELETE_FROM = "$deleteFromPrimitiveList/";
    private static final String ORDER = "$setElementOrder/";

    /** Of pods, and of what has a pod template. */
    static final StrategicMerge WORKLOAD = new StrategicMerge(
            Map.ofEntries(
                    Map.entry("containers", "name"),
                    Map.entry("initContainers", "name"),
                    Map.entry("ephemeralContainers", "name"),
                    Map.entry("volumes", "name"),
                    Map.entry("env", "name"),
                    Map.entry("ports", "containerPort"),
                    Map.entry("volumeMounts", "mountPath"),
                    Map.entry("volumeDevices", "devicePath"),
                    Map.entry("imagePullSecrets", "name"),
                    Map.entry("hostAliases", "ip"),
                    Map.entry("topologySpreadConstraints", "topologyKey"),
                    Map.entry("resourceClaims", "name"),
                    Map.entry("schedulingGates", "name"),
                    Map.entry("ownerReferences", "uid"),
                    Map.entry("conditions", "type")),
            Set.of("finalizers"));

    /** Of types that declare no merge keys. */
    static final StrategicMerge WITHOUT_KEYS = new StrategicMerge(Map.of(), Set.of());

    private final Map<String, String> mergeKeys;
    private final Set<String> mergedPrimitives;

    /** @param mergedPrimitives lists whose plain values are united */
    private StrategicMerge(Map<String, String> mergeKeys, Set<String> mergedPrimitives) {
        this.mergeKeys = mergeKeys;
        this.mergedPrimitives = mergedPrimitives;
    }

    /** The field by which the items of a list of that name are told apart, if there is one. */
    Optional<String> keyOf(String list) {
        return Optional.ofNullable(mergeKeys.get(list));
    }

    /** A new object; neither argument is changed. */
    Map<String, Object> apply(Map<String, Object> target, Map<String, Object> patch) {
        String directive = directive(patch);
        if (directive.equals("delete")) {
            return new LinkedHashMap<>();
        }
        Map<String, Object> merged =
                directive.equals("replace") ? new LinkedHashMap<>() : object(target);
        if (patch.get(RETAIN_KEYS) instanceof List<?> retained) {
            merged.keySet().retainAll(retained);
        }
        patch.forEach((field, value) -> {
            if (field.startsWith(DELETE_FROM)) {
                deleteFromList(merged, field.substring(DELETE_FROM.length()), value);
            } else if (!field.startsWith("$")) {
                mergeField(merged, field, value);
            }
        });
        patch.forEach((field, value) -> {
            if (field.startsWith(ORDER)) {
                reorder(merged, field.substring(ORDER.length()), value);
            }
        });
        return merged;
    }

    private void mergeField(Map<String, Object> merged, String field, Object value) {
        if (value == null) {
            merged.remove(field);
            return;
        }
        switch (value) {
            case Map<?, ?> map -> mergeObject(merged, field, ManifestYaml.castToObject(map));
            case List<?> list -> merged.put(field, mergeList(field, merged.get(field), list));
            default -> merged.put(field, value);
        }
    }

    private void mergeObject(Map<String, Object> merged, String field, Map<String, Object> patch) {
        if (directive(patch).equals("delete")) {
            merged.remove(field);
            return;
        }
        Map<String, Object> before = merged.get(field) instanceof Map<?, ?> map
                ? ManifestYaml.castToObject(map)
                : Map.of();
        merged.put(field, apply(before, patch));
    }

    private List<Object> mergeList(String field, Object before, List<?> patch) {
        List<?> old = before instanceof List<?> list ? list : List.of();
        if (mergedPrimitives.contains(field)) {
            var union = new ArrayList<Object>(old);
            patch.stream().filter(item -> !union.contains(item)).forEach(union::add);
            return union;
        }
        return keyOf(field)
                .map(key -> mergeItems(field, key, old, patch))
                .orElseGet(() -> fresh(patch));
    }

    private List<Object> mergeItems(String field, String key, List<?> old, List<?> patch) {
        List<Map<String, Object>> changes = items(field, patch);
        boolean replaceAll = changes.stream().anyMatch(item -> directive(item).equals("replace"));
        List<Map<String, Object>> merged =
                replaceAll ? new ArrayList<>() : new ArrayList<>(items(field, old));
        var named = new ArrayList<Object>();
        for (Map<String, Object> change : changes) {
            if (directive(change).equals("replace")) {
                continue; // speaks of the list, not of itself
            }
            Object value = change.get(key);
            if (value == null) {
                throw new ManifestException(
                        "an item of %s has no %s to find its counterpart by".formatted(field, key));
            }
            int index = indexOf(merged, key, value);
            if (directive(change).equals("delete")) {
                if (index >= 0) {
                    merged.remove(index);
                }
                continue;
            }
            named.add(value);
            if (index < 0) {
                merged.add(apply(Map.of(), change));
            } else {
                merged.set(index, apply(merged.get(index), change));
            }
        }
        return new ArrayList<>(inOrder(merged, key, named, items(field, old)));
    }

    /**
     * Items of the patch in its order, the others in theirs. Where the two meet, an item keeps its
     * place before one that it preceded; new items come after the untouched ones.
     */
    private static List<Map<String, Object>> inOrder(
            List<Map<String, Object>> merged,
            String key,
            List<Object> named,
            List<Map<String, Object>> old) {
        var patched = new ArrayList<Map<String, Object>>();
        named.stream()
                .distinct()
                .forEach(value -> patched.add(merged.get(indexOf(merged, key, value))));
        var untouched = new ArrayList<>(
                merged.stream().filter(item -> !named.contains(item.get(key))).toList());
        var result = new ArrayList<Map<String, Object>>();
        while (!patched.isEmpty() && !untouched.isEmpty()) {
            int patchedBefore = indexOf(old, key, patched.getFirst().get(key));
            int untouchedBefore = indexOf(old, key, untouched.getFirst().get(key));
            boolean patchedFirst = patchedBefore >= 0 && patchedBefore < untouchedBefore;
            result.add(patchedFirst ? patched.removeFirst() : untouched.removeFirst());
        }
        result.addAll(patched);
        result.addAll(untouched);
        return result;
    }

    private void deleteFromList(Map<String, Object> merged, String field, Object values) {
        if (merged.get(field) instanceof List<?> list && values instanceof List<?> unwanted) {
            var left = new ArrayList<Object>(list);
            left.removeAll(unwanted);
            merged.put(field, left);
        }
    }

    /**
     * Listed elements first and in that order; {@code order} holds plain values, or items with the
     * merge key.
     */
    private void reorder(Map<String, Object> merged, String field, Object order) {
        if (!(merged.get(field) instanceof List<?> list) || !(order instanceof List<?> wanted)) {
            return;
        }
        String key = mergeKeys.getOrDefault(field, "");
        List<Object> identities =
                wanted.stream().<Object>map(item -> identity(item, key)).toList();
        var ordered = new ArrayList<Object>();
        for (Object identity : identities) {
            list.stream()
                    .filter(item -> Objects.equals(identity(item, key), identity))
                    .forEach(ordered::add);
        }
        list.stream()
                .filter(item -> !identities.contains(identity(item, key)))
                .forEach(ordered::add);
        merged.put(field, ordered);
    }

    private static Object identity(Object item, String key) {
        return item instanceof Map<?, ?> map ? String.valueOf(map.get(key)) : String.valueOf(item);
    }

    /** A list taken over from a patch: directives and nulls in it have nothing to act on. */
    private List<Object> fresh(List<?> patch) {
        var list = new ArrayList<Object>();
        for (Object item : patch) {
            if (!(item instanceof Map<?, ?> map)) {
                list.add(ManifestYaml.copy(item));
            } else if (directive(ManifestYaml.castToObject(map)).isEmpty()) {
                list.add(apply(Map.of(), ManifestYaml.castToObject(map)));
            }
        }
        return list;
    }

    private static List<Map<String, Object>> items(String field, List<?> list) {
        var items = new ArrayList<Map<String, Object>>();
        for (Object item : list) {
            if (!(item instanceof Map<?, ?> map)) {
                throw new ManifestException(
                        "an item of %s is not an object: %s".formatted(field, item));
            }
            items.add(ManifestYaml.castToObject(map));
        }
        return items;
    }

    private static int indexOf(List<Map<String, Object>> items, String key, Object value) {
        for (int i = 0; i < items.size(); i++) {
            if (Objects.equals(items.get(i).get(key), value)) {
                return i;
            }
        }
        return -1;
    }

    private static String directive(Map<String, Object> patch) {
        Object directive = patch.get(DIRECTIVE);
        return switch (directive) {
            case null -> "";
            case String text
            when text.equals("replace") || text.equals("delete") || text.equals("merge") -> text;
            default ->
                throw new ManifestException(
                        "$patch has to be replace, delete or merge: " + directive);
        };
    }

    private static Map<String, Object> object(Map<String, Object> tree) {
        return ManifestYaml.castToObject((Map<?, ?>) ManifestYaml.copy(tree));
    }
}
