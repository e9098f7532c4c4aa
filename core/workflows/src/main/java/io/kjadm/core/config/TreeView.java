package io.kjadm.core.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One object of a checked tree, together with its path and the place where errors about it go.
 * Types were checked before, so a wrong one here is a bug. Empty text counts as absent, as it does
 * for Kubernetes.
 */
final class TreeView {

    private final Map<String, Object> tree;
    private final String path;
    private final FieldErrors errors;

    private TreeView(Map<String, Object> tree, String path, FieldErrors errors) {
        this.tree = tree;
        this.path = path;
        this.errors = errors;
    }

    static TreeView of(Document document, FieldErrors errors) {
        return new TreeView(document.tree(), "", errors.of(document));
    }

    boolean has(String name) {
        return tree.containsKey(name);
    }

    Map<String, Object> tree() {
        return tree;
    }

    Optional<String> text(String name) {
        return Optional.ofNullable((String) tree.get(name)).filter(text -> !text.isEmpty());
    }

    String textOr(String name, String otherwise) {
        return text(name).orElse(otherwise);
    }

    boolean flag(String name, boolean otherwise) {
        return (Boolean) tree.getOrDefault(name, otherwise);
    }

    Optional<Integer> number(String name) {
        return Optional.ofNullable((Integer) tree.get(name));
    }

    Optional<Duration> duration(String name) {
        return Optional.ofNullable((Duration) tree.get(name));
    }

    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        items(name).forEach(item -> texts.add((String) item));
        return texts;
    }

    /** A path that must be absolute. */
    Optional<Path> absolutePath(String name) {
        Optional<String> text = text(name);
        text.filter(given -> !given.startsWith("/"))
                .ifPresent(given -> invalid(name, given, "must be an absolute path"));
        return text.map(Path::of);
    }

    /** The object below a name; an absent one has no fields. */
    TreeView object(String name) {
        return new TreeView(YamlTrees.map(tree.getOrDefault(name, Map.of())), pathOf(name), errors);
    }

    List<TreeView> objects(String name) {
        List<TreeView> views = new ArrayList<>();
        for (Object item : items(name)) {
            views.add(new TreeView(YamlTrees.map(item), pathOf(name) + "." + views.size(), errors));
        }
        return views;
    }

    void invalid(String name, Object value, String detail) {
        errors.invalid(pathOf(name), value, detail);
    }

    void invalidSecret(String name, String detail) {
        errors.invalidSecret(pathOf(name), detail);
    }

    void required(String name, String detail) {
        errors.required(pathOf(name), detail);
    }

    private List<?> items(String name) {
        return (List<?>) tree.getOrDefault(name, List.of());
    }

    private String pathOf(String name) {
        if (name.isEmpty()) {
            return path;
        }
        return path.isEmpty() ? name : path + "." + name;
    }
}
