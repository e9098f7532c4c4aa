package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * JSON patch (RFC 6902): a list of operations at JSON pointers (RFC 6901); the first that fails
 * fails the patch.
 */
final class JsonPatch {

    private final Map<String, Object> document;

    private JsonPatch(Map<String, Object> document) {
        this.document = document;
    }

    /** A new object; neither argument is changed. */
    static Map<String, Object> apply(Map<String, Object> target, List<?> operations) {
        var patch = new JsonPatch(ManifestYaml.castToObject((Map<?, ?>) ManifestYaml.copy(target)));
        for (Object operation : operations) {
            if (!(operation instanceof Map<?, ?> map)) {
                throw new ManifestException("an operation is not an object: " + operation);
            }
            patch.perform(ManifestYaml.castToObject(map));
        }
        return patch.document;
    }

    private void perform(Map<String, Object> operation) {
        String name = text(operation, "op");
        List<String> path = pointer(text(operation, "path"));
        switch (name) {
            case "add" -> add(path, value(operation));
            case "remove" -> remove(path);
            case "replace" -> {
                remove(path);
                add(path, value(operation));
            }
            case "move" -> add(path, remove(pointer(text(operation, "from"))));
            case "copy" -> add(path, ManifestYaml.copy(get(pointer(text(operation, "from")))));
            case "test" -> test(path, value(operation));
            default -> throw new ManifestException("there is no operation \"" + name + "\"");
        }
    }

    private void test(List<String> path, Object expected) {
        Object actual = get(path);
        boolean equal = actual instanceof Number left && expected instanceof Number right
                ? left.doubleValue() == right.doubleValue()
                : Objects.equals(actual, expected);
        if (!equal) {
            throw new ManifestException("test failed at " + shown(path));
        }
    }

    private void add(List<String> path, Object value) {
        switch (get(parent(path))) {
            case Map<?, ?> map -> ManifestYaml.castToObject(map).put(path.getLast(), value);
            case List<?> list -> {
                List<Object> items = castToList(list);
                int index = path.getLast().equals("-") ? items.size() : index(path, items.size());
                items.add(index, value);
            }
            case null, default -> throw nothingAt(path);
        }
    }

    private Object remove(List<String> path) {
        get(path);
        return switch (get(parent(path))) {
            case Map<?, ?> map -> map.remove(path.getLast());
            case List<?> list -> list.remove(index(path, list.size() - 1));
            case null, default -> throw nothingAt(path);
        };
    }

    private Object get(List<String> path) {
        Object current = document;
        for (int depth = 0; depth < path.size(); depth++) {
            List<String> here = path.subList(0, depth + 1);
            current = switch (current) {
                case Map<?, ?> map when map.containsKey(here.getLast()) -> map.get(here.getLast());
                case List<?> list -> list.get(index(here, list.size() - 1));
                case null, default -> throw nothingAt(here);
            };
        }
        return current;
    }

    private static List<String> parent(List<String> path) {
        if (path.isEmpty()) {
            throw new ManifestException("the whole document cannot be replaced or removed");
        }
        return path.subList(0, path.size() - 1);
    }

    private static int index(List<String> path, int last) {
        String text = path.getLast();
        if (!text.matches("0|[1-9][0-9]{0,8}") || Integer.parseInt(text) > last) {
            throw nothingAt(path);
        }
        return Integer.parseInt(text);
    }

    private static List<String> pointer(String text) {
        if (text.isEmpty()) {
            return List.of();
        }
        if (!text.startsWith("/")) {
            throw new ManifestException("a path has to start with /: " + text);
        }
        var path = new ArrayList<String>();
        for (String part : text.substring(1).split("/", -1)) {
            // in this order: ~01 is a written-out ~1
            path.add(part.replace("~1", "/").replace("~0", "~"));
        }
        return path;
    }

    private static Object value(Map<String, Object> operation) {
        if (!operation.containsKey("value")) {
            throw new ManifestException("operation %s has no value".formatted(operation.get("op")));
        }
        return ManifestYaml.copy(operation.get("value"));
    }

    private static String text(Map<String, Object> operation, String field) {
        if (operation.get(field) instanceof String text) {
            return text;
        }
        throw new ManifestException("an operation lacks " + field);
    }

    private static ManifestException nothingAt(List<String> path) {
        return new ManifestException("there is nothing at " + shown(path));
    }

    private static String shown(List<String> path) {
        return "/" + String.join("/", path);
    }

    @SuppressWarnings("unchecked") // lists of our own copy, which may hold anything
    private static List<Object> castToList(List<?> list) {
        return (List<Object>) list;
    }
}
