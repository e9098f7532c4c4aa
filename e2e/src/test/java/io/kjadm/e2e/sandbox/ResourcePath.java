package io.kjadm.e2e.sandbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The address of an object or of a list of them.
 *
 * @param group empty for the core group
 * @param namespace empty for cluster-wide kinds, and for lists over all namespaces
 * @param name empty for a list
 * @param subresource such as {@code status}; empty for none
 */
record ResourcePath(
        String group,
        String version,
        String namespace,
        String resource,
        String name,
        String subresource) {

    /**
     * Reads {@code /api/v1/…} and {@code /apis/GROUP/VERSION/…}; anything else is no object's path.
     */
    static Optional<ResourcePath> parse(String path) {
        var words = new ArrayList<>(List.of(path.substring(1).split("/")));
        String group;
        if (words.size() >= 3 && words.get(0).equals("api")) {
            words.remove(0);
            group = "";
        } else if (words.size() >= 4 && words.get(0).equals("apis")) {
            words.remove(0);
            group = words.remove(0);
        } else {
            return Optional.empty();
        }
        var version = words.remove(0);
        var namespace = "";
        if (words.size() >= 3
                && words.get(0).equals("namespaces")
                && !words.get(2).equals("status")) {
            words.remove(0);
            namespace = words.remove(0);
        }
        return Optional.of(new ResourcePath(
                group, version, namespace, words.get(0), word(words, 1), word(words, 2)));
    }

    /**
     * The key of one object, or the prefix of all that a list holds; always ends a path element.
     */
    String key() {
        var all = "/registry/" + (group.isEmpty() ? "core" : group) + "/" + resource + "/";
        if (name.isEmpty()) {
            return namespace.isEmpty() ? all : all + namespace + "/";
        }
        return all + (namespace.isEmpty() ? "-" : namespace) + "/" + name;
    }

    ResourcePath named(String name) {
        return new ResourcePath(group, version, namespace, resource, name, subresource);
    }

    String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    private static String word(List<String> words, int i) {
        return i < words.size() ? words.get(i) : "";
    }
}
