package io.kjadm.core.upgrade;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.HandMadeChange;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.PatchFile;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.StaticPodReferences;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * {@code --adopt-changes}: keeps what was changed by hand in the manifests of a node, as patches
 * that are applied from then on. In a run that goes on with another one there is nothing left to
 * find: a manifest that was changed by hand is the former one with these patches.
 */
record Adoption(HostFiles files, ManifestStore manifests, Reporter out) {

    /** In the journal; a roll-back removes the patches, as the manifests are the old ones then. */
    static final String STEP = "patches";

    private static final String AREA = "upgrade/adopt";

    /**
     * Of the time, not of the target alone: a manifest that is changed again later gets patches
     * beside those that it has, which are what the later ones were compared with.
     */
    private static final DateTimeFormatter SUFFIX =
            DateTimeFormatter.ofPattern("'adopted-'yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    /** What is kept of one manifest: in which files, and what they say in words. */
    private record Kept(List<PatchFile> patches, List<HandMadeChange> changes) {}

    /**
     * Writes the patches.
     *
     * @param members all members of a stacked etcd; empty if etcd is left as it is
     * @return the run with their directory
     * @throws HostException if a manifest or the directory cannot be read, or if a file of
     *     somebody else's has the name of a patch; with nothing changed
     */
    UpgradeRun adopt(UpgradeRun run, Optional<List<NameAndUrl>> members, NodeChanges changes) {
        Optional<Path> given = run.settings().patchesDirectory();
        Path directory =
                given.orElseGet(() -> run.installed().paths().kubernetesDir().resolve("patches"));
        // where an earlier run has kept changes, they are no changes any more
        Optional<Path> applied = given.or(() -> Optional.of(directory).filter(files::exists));
        List<Kept> kept = kept(
                run,
                new GeneratedManifests(
                        files,
                        manifests,
                        new GeneratedManifests.Input(
                                run.stored(), run.installed(), applied, members, run.timeouts())));
        if (kept.isEmpty()) {
            out.step(AREA, "No manifest was changed by hand that is not in a patch already");
            if (given.isEmpty() && applied.isPresent()) {
                tellWhatIsNext(directory);
            }
            return applied.map(run::withPatches).orElse(run);
        }
        requireUnused(directory, kept);
        files.createDirectory(directory, FileMode.PRIVATE_DIRECTORY);
        kept.forEach(one -> write(directory, one, changes));
        tellWhatIsNext(directory);
        return run.withPatches(directory);
    }

    private List<Kept> kept(UpgradeRun run, GeneratedManifests generated) {
        return generated.targets().stream()
                .flatMap(target -> kept(run, generated, target).stream())
                .toList();
    }

    private Optional<Kept> kept(UpgradeRun run, GeneratedManifests generated, PatchTarget target) {
        try {
            Optional<ManifestChanges> found = generated.changedByHand(target, run.target());
            found.map(ManifestChanges::overridden)
                    .filter(lost -> !lost.isEmpty())
                    .ifPresent(lost -> out.warn(
                            "the manifest of %s was changed by hand where the upgrade changes it too, and will be as it is generated: %s; write a patch for it if it has to stay"
                                    .formatted(target.fileName(), listed(lost))));
            if (found.filter(changed -> !changed.patches("new").isEmpty()).isPresent()) {
                refuseReferences(run, generated, target);
            }
            return found.map(changed ->
                            new Kept(changed.patches(suffix(run.startedAt())), changed.keepable()))
                    .filter(one -> !one.patches().isEmpty());
        } catch (ManifestException e) {
            throw new HostException(
                    "the manual changes in %s cannot be determined"
                            .formatted(generated.path(target)),
                    e.getMessage(),
                    "correct the manifest, or run without --adopt-changes",
                    e);
        }
    }

    /** A patch that brings them back would stop this upgrade and every later one. */
    private static void refuseReferences(
            UpgradeRun run, GeneratedManifests generated, PatchTarget target) {
        List<String> references =
                generated.onDisk(target).map(StaticPodReferences::of).orElse(List.of());
        if (run.target().minor() >= StaticPodReferences.REFUSED_SINCE_MINOR
                && !references.isEmpty()) {
            throw new HostException(
                    "what was changed by hand in %s cannot be kept"
                            .formatted(generated.path(target)),
                    "it refers to API objects, and the new kubelet does not run a static pod that does: "
                            + String.join(", ", references),
                    "run without --adopt-changes, which drops all changes, or use files of this node (hostPath) and plain values instead");
        }
    }

    private void requireUnused(Path directory, List<Kept> kept) {
        kept.stream()
                .flatMap(one -> one.patches().stream())
                .map(patch -> directory.resolve(patch.name()))
                .filter(files::exists)
                .findFirst()
                .ifPresent(file -> {
                    throw new HostException(
                            "what was changed by hand cannot be kept in " + file,
                            "there is a file of that name, and this run did not write it",
                            "run the same command again: the names have the time in them");
                });
    }

    private void write(Path directory, Kept kept, NodeChanges changes) {
        kept.patches()
                .forEach(patch -> changes.write(
                        STEP,
                        directory.resolve(patch.name()),
                        patch.content(),
                        FileMode.OWNER_ONLY));
        String written = kept.patches().stream()
                .map(patch -> directory.resolve(patch.name()).toString())
                .collect(Collectors.joining(" and "));
        out.step(AREA, "Kept in %s: %s".formatted(written, listed(kept.changes())));
    }

    /** The cluster stores nothing of patches. */
    private void tellWhatIsNext(Path directory) {
        out.step(
                AREA,
                "From now on give --patches=%s whenever this node is upgraded"
                        .formatted(directory));
    }

    private static String suffix(Instant time) {
        return SUFFIX.format(time);
    }

    private static String listed(List<HandMadeChange> changes) {
        return changes.stream().map(HandMadeChange::toString).collect(Collectors.joining("; "));
    }
}
