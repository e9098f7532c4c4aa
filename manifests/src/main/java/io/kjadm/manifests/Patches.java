package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The operator's patches, applied to an object before it is written. File names say what a patch is
 * for: {@code TARGET[SUFFIX][+TYPE].(json|yaml)}, for example {@code kube-apiserver1+json.yaml};
 * the type is {@code strategic} if none is named.
 */
public final class Patches {

    private final List<Patch> patches;
    private final List<Ignored> ignored;

    private Patches(List<Patch> patches, List<Ignored> ignored) {
        this.patches = patches;
        this.ignored = ignored;
    }

    /** A file that is no patch, and why. */
    public record Ignored(String fileName, String reason) {}

    /** One document of a patch file. */
    private record Patch(PatchFile file, Object tree, String text) {}

    /**
     * The patches in these files, to be applied in this order.
     *
     * @throws ManifestException if a patch has an unknown type, is not readable, or is not of the
     *        shape its type wants
     */
    public static Patches of(List<PatchFile> files) {
        var patches = new ArrayList<Patch>();
        var ignored = new ArrayList<Ignored>();
        for (PatchFile file : files) {
            file.reasonToIgnore()
                    .ifPresentOrElse(
                            reason -> ignored.add(new Ignored(file.name(), reason)),
                            () -> patches.addAll(documents(file)));
        }
        return new Patches(List.copyOf(patches), List.copyOf(ignored));
    }

    /** The files that were passed over; the operator is told. */
    public List<Ignored> ignored() {
        return ignored;
    }

    /** The files applied to this target, once each, in order. */
    public List<String> filesFor(PatchTarget target) {
        return patches.stream()
                .filter(patch -> patch.file().target() == target)
                .map(patch -> patch.file().name())
                .distinct()
                .toList();
    }

    /**
     * The typed object with all patches for {@code target} applied; the object itself if there are
     * none.
     *
     * @throws ManifestException naming file and patch if one cannot be applied, or if what comes
     *        out is no {@code T}
     */
    public <T> T apply(PatchTarget target, T object, Class<T> type) {
        if (filesFor(target).isEmpty()) {
            return object;
        }
        Map<String, Object> patched = apply(target, ManifestYaml.tree(object));
        try {
            return ManifestYaml.typedStrictly(patched, type);
        } catch (ManifestException e) {
            throw new ManifestException(
                    "after the patches %s %s is %s"
                            .formatted(filesFor(target), target.fileName(), e.getMessage()),
                    e);
        }
    }

    /** The tree with all patches for {@code target} applied; the tree given is not changed. */
    public Map<String, Object> apply(PatchTarget target, Map<String, Object> tree) {
        Map<String, Object> result = tree;
        for (Patch patch : patches) {
            if (patch.file().target() == target) {
                result = applyOne(patch, result);
            }
        }
        return result;
    }

    private static Map<String, Object> applyOne(Patch patch, Map<String, Object> tree) {
        PatchTarget target = patch.file().target();
        try {
            return sameKind(
                    tree,
                    switch (patch.file().type()) {
                        case STRATEGIC -> target.strategicMerge().apply(tree, object(patch.tree()));
                        case MERGE -> MergePatch.apply(tree, object(patch.tree()));
                        case JSON -> JsonPatch.apply(tree, (List<?>) patch.tree());
                    });
        } catch (ManifestException e) {
            throw new ManifestException(
                    "patch file %s cannot be applied to %s as a %s patch: %s\n%s"
                            .formatted(
                                    patch.file().name(),
                                    target.fileName(),
                                    patch.file().type().text(),
                                    e.getMessage(),
                                    patch.text().strip()),
                    e);
        }
    }

    /** Another kind, or another version of it, would be read by nobody. */
    private static Map<String, Object> sameKind(
            Map<String, Object> before, Map<String, Object> after) {
        for (String field : List.of("apiVersion", "kind")) {
            if (!Objects.equals(before.get(field), after.get(field))) {
                throw new ManifestException("it would change %s from %s to %s"
                        .formatted(field, before.get(field), after.get(field)));
            }
        }
        return after;
    }

    private static List<Patch> documents(PatchFile file) {
        PatchFile.Type type = file.type();
        var documents = new ArrayList<Patch>();
        for (String text : ManifestYaml.splitDocuments(file.content())) {
            Object tree = read(file, text);
            boolean wanted =
                    type == PatchFile.Type.JSON ? tree instanceof List : tree instanceof Map;
            if (!wanted) {
                throw new ManifestException("patch file %s: a %s patch has to be %s"
                        .formatted(
                                file.name(),
                                type.text(),
                                type == PatchFile.Type.JSON
                                        ? "a list of operations"
                                        : "an object"));
            }
            documents.add(new Patch(file, tree, text));
        }
        return documents;
    }

    private static Object read(PatchFile file, String text) {
        try {
            boolean json = file.isJson()
                    && (text.stripLeading().startsWith("{")
                            || text.stripLeading().startsWith("["));
            // YAML knows no tabs, JSON does
            return json ? ManifestYaml.readJson(text) : ManifestYaml.read(text);
        } catch (ManifestException e) {
            throw new ManifestException(
                    "patch file %s: %s".formatted(file.name(), e.getMessage()), e);
        }
    }

    private static Map<String, Object> object(Object tree) {
        return ManifestYaml.castToObject((Map<?, ?>) tree);
    }
}
