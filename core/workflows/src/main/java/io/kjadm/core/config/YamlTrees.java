package io.kjadm.core.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Plain trees, as a YAML reader yields them: maps with text keys, lists and scalars. */
final class YamlTrees {

    private YamlTrees() {}

    /** A deep copy nobody can change; the order of keys stays, and nulls are allowed. */
    static Map<String, Object> freeze(Map<String, Object> tree) {
        Map<String, Object> copy = new LinkedHashMap<>();
        tree.forEach((key, value) -> copy.put(key, frozen(value)));
        return Collections.unmodifiableMap(copy);
    }

    /** A deep copy that may be changed. */
    static Map<String, Object> thaw(Map<String, Object> tree) {
        Map<String, Object> copy = new LinkedHashMap<>();
        tree.forEach((key, value) -> copy.put(key, thawed(value)));
        return copy;
    }

    /** The value below a path of keys, if there is one that is not null. */
    static Optional<Object> at(Map<String, Object> tree, String... path) {
        Object here = tree;
        for (String key : path) {
            here = here instanceof Map<?, ?> map ? map.get(key) : null;
        }
        return Optional.ofNullable(here);
    }

    /** Puts a value below a path of keys, making the maps on the way. */
    static void put(Map<String, Object> tree, Object value, String... path) {
        Map<String, Object> here = tree;
        for (int i = 0; i < path.length - 1; i++) {
            here = child(here, path[i]);
        }
        here.put(path[path.length - 1], value);
    }

    /** The keys as text; the reader makes no others in what it accepts. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object tree) {
        return (Map<String, Object>) tree;
    }

    private static Map<String, Object> child(Map<String, Object> tree, String key) {
        if (tree.get(key) instanceof Map<?, ?> existing) {
            return map(existing);
        }
        Map<String, Object> made = new LinkedHashMap<>();
        tree.put(key, made);
        return made;
    }

    private static Object frozen(Object value) {
        return switch (value) {
            case Map<?, ?> nested -> freeze(map(nested));
            case List<?> list -> Collections.unmodifiableList(each(list, YamlTrees::frozen));
            case null, default -> value;
        };
    }

    /** Unlike the list of a stream, this one may hold nulls. */
    private static List<Object> each(List<?> list, UnaryOperator<Object> change) {
        List<Object> copy = new ArrayList<>();
        list.forEach(item -> copy.add(change.apply(item)));
        return copy;
    }

    private static Object thawed(Object value) {
        return switch (value) {
            case Map<?, ?> nested -> thaw(map(nested));
            case List<?> list -> each(list, YamlTrees::thawed);
            case null, default -> value;
        };
    }
}
