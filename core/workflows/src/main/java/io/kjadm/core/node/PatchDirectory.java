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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The operator's patches in a directory and those below it; a file that is none is a warning, since
 * its name may be mistyped.
 */
public final class PatchDirectory {

    private final HostFiles files;
    private final Reporter out;
    private final Set<String> told = ConcurrentHashMap.newKeySet();

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
        return directory
                .map(dir -> translated(dir, () -> {
                    Patches patches = load(dir);
                    told(patches, target);
                    return patches.apply(target, object, type);
                }))
                .orElse(object);
    }

    /** A tree with its patches applied. */
    public Map<String, Object> patched(
            Optional<Path> directory, PatchTarget target, Map<String, Object> tree) {
        return directory
                .map(dir -> translated(dir, () -> {
                    Patches patches = load(dir);
                    told(patches, target);
                    return patches.apply(target, tree);
                }))
                .orElse(tree);
    }

    private Patches load(Path directory) {
        if (!files.isDirectory(directory)) {
            throw new HostException(
                    "the patches directory %s cannot be read".formatted(directory),
                    "it is not a directory",
                    "correct --patches, or patches.directory in the configuration");
        }
        List<PatchFile> found = below(directory)
                .map(path -> new PatchFile(
                        path.getFileName().toString(), files.read(path).orElse("")))
                .toList();
        Patches patches = Patches.of(found);
        patches.ignored().forEach(ignored -> warnOnce(directory, ignored));
        return patches;
    }

    /** As kubeadm goes through it: by name, into sub-directories, but not through links to any. */
    private Stream<Path> below(Path directory) {
        return files.list(directory).stream().flatMap(path -> {
            if (!files.isDirectory(path)) {
                return Stream.of(path);
            }
            return isLink(path) ? Stream.empty() : below(path);
        });
    }

    private boolean isLink(Path path) {
        Path parent = files.realPath(path.getParent()).orElse(path.getParent());
        return !files.realPath(path).equals(Optional.of(parent.resolve(path.getFileName())));
    }

    /** The directory is read for each target; what is wrong in it is said once. */
    private void warnOnce(Path directory, Patches.Ignored ignored) {
        String warning = "patches: %s in %s is skipped: %s"
                .formatted(ignored.fileName(), directory, ignored.reason());
        if (told.add(warning)) {
            out.warn(warning);
        }
    }

    private void told(Patches patches, PatchTarget target) {
        List<String> used = patches.filesFor(target);
        String sentence = "Applied patches of %s to target \"%s\""
                .formatted(String.join(", ", used), target.fileName());
        if (!used.isEmpty() && told.add(sentence)) {
            out.step("patches", sentence);
        }
    }

    private static <A> A translated(Path directory, java.util.function.Supplier<A> action) {
        try {
            return action.get();
        } catch (ManifestException e) {
            throw new HostException(
                    "a patch in %s cannot be applied".formatted(directory),
                    e.getMessage(),
                    "correct the patch file",
                    e);
        }
    }
}
