package io.kjadm.core.node;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.PatchFile;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.Patches;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The operator's patches, read once from their directory. */
public final class PatchDirectory {

    private final HostFiles files;
    private final Reporter out;

    public PatchDirectory(HostFiles files, Reporter out) {
        this.files = files;
        this.out = out;
    }

    /**
     * An object with its patches applied.
     *
     * @throws HostException naming the patch that cannot be read or applied
     */
    public <T> T patched(Optional<Path> directory, PatchTarget target, T object, Class<T> type) {
        return directory.map(dir -> translated(dir, () -> {
            Patches patches = load(dir);
            told(patches, target);
            return patches.apply(target, object, type);
        })).orElse(object);
    }

    /** A tree with its patches applied. */
    public Map<String, Object> patched(Optional<Path> directory, PatchTarget target,
            Map<String, Object> tree) {
        return directory.map(dir -> translated(dir, () -> {
            Patches patches = load(dir);
            told(patches, target);
            return patches.apply(target, tree);
        })).orElse(tree);
    }

    private Patches load(Path directory) {
        if (!files.isDirectory(directory)) {
            throw new HostException("the patches directory %s cannot be read".formatted(directory),
                    "it is not a directory",
                    "correct --patches, or patches.directory in the configuration");
        }
        List<PatchFile> found = files.list(directory).stream()
                .filter(path -> !files.isDirectory(path))
                .map(path -> new PatchFile(path.getFileName().toString(),
                        files.read(path).orElse("")))
                .toList();
        Patches patches = Patches.of(found);
        patches.ignored().forEach(ignored -> out.detail(
                "patches: %s is passed over: %s".formatted(ignored.fileName(), ignored.reason())));
        return patches;
    }

    private void told(Patches patches, PatchTarget target) {
        List<String> used = patches.filesFor(target);
        if (!used.isEmpty()) {
            out.step("patches", "Applied patches of %s to target \"%s\"".formatted(
                    String.join(", ", used), target.fileName()));
        }
    }

    private static <A> A translated(Path directory, java.util.function.Supplier<A> action) {
        try {
            return action.get();
        } catch (ManifestException e) {
            throw new HostException("a patch in %s cannot be applied".formatted(directory),
                    e.getMessage(), "correct the patch file", e);
        }
    }
}
