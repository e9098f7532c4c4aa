package io.kjadm.core.upgrade;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.HandMadeChange;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.PatchFile;
import io.kjadm.manifests.PatchTarget;

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
final class Adoption {

    /** In the journal; a roll-back removes the patches, as the manifests are the old ones then. */
    static final String STEP = "patches";

    private static final String AREA = "adopt";
    private static final DateTimeFormatter SUFFIX =
            DateTimeFormatter.ofPattern("'adopted-'yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final HostFiles files;
    private final ManifestStore manifests;
    private final Reporter out;

    Adoption(HostFiles files, ManifestStore manifests, Reporter out) {
        this.files = files;
        this.manifests = manifests;
        this.out = out;
    }

    /**
     * Writes the patches.
     *
     * @param members all members of a stacked etcd; empty if etcd is left as it is
     * @return the run with their directory
     * @throws HostException if a manifest or the directory cannot be read, with nothing changed
     */
    UpgradeRun adopt(UpgradeRun run, Optional<List<NameAndUrl>> members, NodeChanges changes) {
        Path usual = run.installed().paths().kubernetesDir().resolve("patches");
        Optional<Path> given = run.settings()
                .patchesDirectory()
                .or(() -> Optional.of(usual).filter(files::exists));
        GeneratedManifests generated = new GeneratedManifests(
                files,
                manifests,
                new GeneratedManifests.Input(
                        run.stored(), run.installed(), given, members, run.timeouts()));
        List<PatchFile> patches = generated.targets().stream()
                .flatMap(target -> patches(run, generated, target).stream())
                .toList();
        if (patches.isEmpty()) {
            out.step(AREA, "No manifest was changed by hand that is not in a patch already");
            return given.map(run::withPatches).orElse(run);
        }
        Path directory = given.orElse(usual);
        files.createDirectory(directory, FileMode.PRIVATE_DIRECTORY);
        patches.forEach(patch -> {
            Path file = directory.resolve(patch.name());
            changes.write(STEP, file, patch.content(), FileMode.OWNER_ONLY);
            out.step(AREA, "Kept in " + file);
        });
        out.step(
                AREA,
                "From now on give --patches=%s whenever this node is upgraded"
                        .formatted(directory));
        return run.withPatches(directory);
    }

    private List<PatchFile> patches(
            UpgradeRun run, GeneratedManifests generated, PatchTarget target) {
        try {
            Optional<ManifestChanges> found = generated.changedByHand(target, run.target());
            found.map(ManifestChanges::overridden)
                    .filter(lost -> !lost.isEmpty())
                    .ifPresent(lost -> out.warn(
                            "the manifest of %s was changed by hand where the upgrade changes it too, and will be as it is generated: %s"
                                    .formatted(target.fileName(), listed(lost))));
            return found.map(changed -> changed.patches(suffix(run.startedAt())))
                    .orElse(List.of());
        } catch (ManifestException e) {
            throw new HostException(
                    "what was changed by hand in %s cannot be told"
                            .formatted(generated.path(target)),
                    e.getMessage(),
                    "correct the manifest, or run without --adopt-changes",
                    e);
        }
    }

    private static String suffix(Instant time) {
        return SUFFIX.format(time);
    }

    private static String listed(List<HandMadeChange> changes) {
        return changes.stream().map(HandMadeChange::toString).collect(Collectors.joining("; "));
    }
}
