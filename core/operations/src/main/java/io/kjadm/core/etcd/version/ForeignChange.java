package io.kjadm.core.etcd.version;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.version.UpgradeEntry.ChangedFile;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.Problem;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What another program or a person has changed since an upgrade was interrupted, as where kubeadm has
 * finished it. What the upgrade has kept is older than that: a roll-back that led there would lose
 * the change, and might give a cluster the manifests of a former version.
 */
public final class ForeignChange {

    private final UpgradeEntry entry;
    private final List<ChangedFile> changed;
    private final Path kept;

    private ForeignChange(UpgradeEntry entry, List<ChangedFile> changed, Path kept) {
        this.entry = entry;
        this.changed = changed;
        this.kept = kept;
    }

    /** @param kept the directory with the journal and what is kept */
    static Optional<ForeignChange> of(HostFiles files, UpgradeEntry entry, Path kept) {
        FileSums sums = new FileSums(files);
        List<ChangedFile> changed =
                entry.changed().stream().filter(sums::isForeign).toList();
        return changed.isEmpty()
                ? Optional.empty()
                : Optional.of(new ForeignChange(entry, changed, kept));
    }

    /** Moves what is kept out of the way, where it stays. */
    ForeignChange movedTo(HostFiles files, Path directory) {
        files.rename(kept, directory);
        return new ForeignChange(entry, changed, directory);
    }

    /**
     * One that was being rolled back is left to the operator: some of its files are those of before
     * already.
     *
     * @throws HostException if it is one
     */
    ForeignChange requireForward() {
        if (!entry.rollingBack()) {
            return this;
        }
        throw new HostException(
                UpgradeReason.FILES_CHANGED_SINCE,
                "the roll-back of this node to %s was interrupted, and is not finished: it would replace %s"
                        .formatted(entry.from(), paths()),
                why(),
                "to finish it, %s; to keep the files as they are, move %s away; then run the same command again"
                        .formatted(
                                changed.stream()
                                        .map(ForeignChange::takenBack)
                                        .collect(Collectors.joining(", ")),
                                kept));
    }

    private static String takenBack(ChangedFile file) {
        return file.saved()
                .map(saved -> "run 'cp %s %s'".formatted(saved, file.path()))
                .orElseGet(() -> "delete " + file.path());
    }

    /** The upgrade begins from what is there now, and what it had kept stays. */
    public Problem problem() {
        return new Problem(
                UpgradeReason.FILES_CHANGED_SINCE,
                "the change of this node from %s to %s, which was interrupted, is not resumed: a roll-back leads to the files that are here now"
                        .formatted(entry.from(), entry.to()),
                why(),
                "see %s for the files of before, and delete it when they are not needed"
                        .formatted(kept));
    }

    private String why() {
        return "another program or a person has changed %s since".formatted(paths());
    }

    private String paths() {
        return changed.stream()
                .map(file -> file.path().toString())
                .collect(Collectors.joining(", "));
    }
}
