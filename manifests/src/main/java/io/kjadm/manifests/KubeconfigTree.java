package io.kjadm.manifests;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The lists of a kubeconfig: each holds {@code {name: …, cluster|context|user: {…}}}. */
final class KubeconfigTree {

    private KubeconfigTree() {}

    /** The body of the entry of that name; entries of another shape are passed over. */
    static Optional<Map<String, Object>> entry(
            Map<String, Object> root, String list, String kind, String name) {
        return items(root, list).stream()
                .filter(item -> name.equals(nameOf(item)))
                .findFirst()
                .map(item -> item.get(kind) instanceof Map<?, ?> body
                        ? ManifestYaml.castToObject(body)
                        : Map.<String, Object>of());
    }

    static List<Map<String, Object>> items(Map<String, Object> root, String list) {
        var items = new ArrayList<Map<String, Object>>();
        if (root.get(list) instanceof List<?> values) {
            for (Object value : values) {
                if (value instanceof Map<?, ?> map) {
                    items.add(ManifestYaml.castToObject(map));
                }
            }
        }
        return items;
    }

    static String nameOf(Map<String, Object> item) {
        return text(item, "name").orElse("");
    }

    /** The text of a field; a missing, empty or null one counts as absent. */
    static Optional<String> text(Map<String, Object> tree, String field) {
        return Optional.ofNullable(tree.get(field))
                .map(String::valueOf)
                .filter(value -> !value.isEmpty());
    }

    static boolean isTrue(Map<String, Object> tree, String field) {
        return text(tree, field).map("true"::equals).orElse(false);
    }

    /** An object; a missing one counts as absent. */
    static Optional<Map<String, Object>> object(Map<String, Object> tree, String field) {
        return tree.get(field) instanceof Map<?, ?> map
                ? Optional.of(ManifestYaml.castToObject(map))
                : Optional.empty();
    }

    /** @throws ManifestException if the text can be no path */
    static Optional<Path> path(Map<String, Object> tree, String field) {
        try {
            return text(tree, field).map(Path::of);
        } catch (InvalidPathException e) {
            throw new ManifestException("%s in the kubeconfig is not a path".formatted(field));
        }
    }

    /** PEM text in Base64, as kubeconfigs embed it: one line, padded. */
    static String encoded(String pem) {
        return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8));
    }

    /** @throws ManifestException if the field is not in Base64 */
    static Optional<String> decoded(Map<String, Object> tree, String field) {
        return text(tree, field).map(base64 -> {
            // other writers fold the lines; any other character outside the alphabet is a mistake,
            // and to pass over it would leave less than what was meant
            String oneLine = base64.replaceAll("[\\r\\n]", "");
            try {
                if (oneLine.length() % 4 == 0) {
                    return new String(Base64.getDecoder().decode(oneLine), StandardCharsets.UTF_8);
                }
            } catch (IllegalArgumentException e) {
                // told below; the cause would quote a part of what may be a key
            }
            throw new ManifestException(field + " of the kubeconfig is not base64");
        });
    }
}
