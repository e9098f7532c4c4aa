package io.kjadm.core.upgrade;

import io.kjadm.manifests.HandMadeChange;
import io.kjadm.manifests.HandMadeChanges;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.PatchFile;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.Patches;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What somebody changed by hand in a static pod's manifest, and the upgrade would undo; and how it
 * can be kept. Patches count as generated: all three manifests have theirs applied.
 */
public final class ManifestChanges {

    /** They list the members at the time, and are not the operator's to choose. */
    private static final Set<String> OF_THE_MEMBERS =
            Set.of("--initial-cluster", "--initial-cluster-state");

    private final PatchTarget target;
    private final HandMadeChanges comparison;

    private ManifestChanges(PatchTarget target, HandMadeChanges comparison) {
        this.target = target;
        this.comparison = comparison;
    }

    /**
     * Compares three manifests, each as YAML.
     *
     * @param generated as it was generated when it was written
     * @param found as it stands on the disk
     * @param next as it will be generated
     * @throws io.kjadm.manifests.ManifestException if one of them is no YAML object
     */
    public static ManifestChanges between(
            PatchTarget target, String generated, String found, String next) {
        return new ManifestChanges(
                target,
                HandMadeChanges.between(
                        target,
                        ManifestYaml.readObject(generated),
                        ManifestYaml.readObject(found),
                        ManifestYaml.readObject(next),
                        target == PatchTarget.ETCD ? OF_THE_MEMBERS : Set.of()));
    }

    /**
     * A manifest with those effects of patches that it lacks, where nobody has changed it
     * otherwise: the patches may be younger than the manifest.
     *
     * @param plain as it was generated, without patches
     * @param patched with the patches
     * @param found as it stands on the disk
     * @return YAML; {@code found} itself if it has all of them
     * @throws io.kjadm.manifests.ManifestException if one of them is no YAML object
     */
    static String withPatches(PatchTarget target, String plain, String patched, String found) {
        List<PatchFile> lacking = between(target, plain, patched, found).patches("new");
        return lacking.isEmpty()
                ? found
                : ManifestYaml.write(
                        Patches.of(lacking).apply(target, ManifestYaml.readObject(found)));
    }

    /** What will be lost unless it is kept. */
    public List<HandMadeChange> keepable() {
        return comparison.changes().stream()
                .filter(change -> !change.conflicts())
                .toList();
    }

    /**
     * What will be lost in any case: the upgrade changes it as well, as it does an image's version.
     */
    public List<HandMadeChange> overridden() {
        return comparison.changes().stream().filter(HandMadeChange::conflicts).toList();
    }

    /**
     * The files for the directory with patches that keep what can be kept; none if there is
     * nothing.
     *
     * @param suffix becomes part of their names, so that earlier ones stay: letters, digits and
     *     dashes
     */
    public List<PatchFile> patches(String suffix) {
        if (!suffix.matches("[0-9A-Za-z-]+")) {
            throw new IllegalArgumentException("no suffix of a patch file: " + suffix);
        }
        String header = "# Made by hand in the manifest of %s, kept by --adopt-changes.\n"
                .formatted(target.fileName());
        List<PatchFile> files = new ArrayList<>();
        if (!comparison.strategicPatch().isEmpty()) {
            files.add(file(suffix, "strategic", header, comparison.strategicPatch()));
        }
        if (!comparison.additions().isEmpty()) {
            files.add(file(suffix, "json", header, comparison.additions()));
        }
        return List.copyOf(files);
    }

    private PatchFile file(String suffix, String type, String header, Object patch) {
        return new PatchFile(
                "%s-%s+%s.yaml".formatted(target.fileName(), suffix, type),
                header + ManifestYaml.write(patch));
    }
}
