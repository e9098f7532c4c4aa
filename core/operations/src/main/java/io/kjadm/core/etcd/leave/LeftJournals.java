package io.kjadm.core.etcd.leave;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Unfinished;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.phase.Reporter;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What interrupted restores, upgrades and replacements have noted on a node that is reset. Their
 * journals go with the member: a later member of this node must not be changed to what the previous
 * one was. Data and snapshots stay, and it is told where.
 */
public final class LeftJournals {

    private static final String AREA = "reset";
    private static final String WORK = StaticPodEtcd.RESTORE;
    private static final String PREVIOUS = ".replaced-";
    private static final String SNAPSHOT = "etcd-snapshot.db";
    private static final Set<Operation> KEPT_BY_OTHERS =
            Set.of(Operation.RESET, Operation.JOIN, Operation.INIT);

    private final HostFiles files;

    public LeftJournals(HostFiles files) {
        this.files = files;
    }

    /** Where a restore on a control-plane node has its journal and the manifests it took out. */
    public static Path restore(KubernetesPaths paths) {
        return paths.tmpDir().resolve(WORK);
    }

    /** Removes those of a control-plane node; what cannot be removed is a warning. */
    public void remove(KubernetesPaths paths, LocalEtcdState etcd, Instant now, Reporter out) {
        Path tmp = paths.tmpDir();
        tellEnded(tmp, "this node", out);
        try {
            if (!etcd.external()) {
                moveRestoredData(etcd.dataDir(), now, out);
            }
            if (files.exists(restore(paths))) {
                tellPreviousData(etcd.dataDir(), out);
                files.deleteTree(restore(paths));
            }
            removeUpgrade(tmp.resolve("kjadm-upgrade"), out);
            files.deleteTree(replacement(paths));
            files.deleteTree(tmp.resolve("kjadm-ca-rotation"));
        } catch (HostException e) {
            out.warn(e.getMessage());
        }
    }

    private static Path replacement(KubernetesPaths paths) {
        return paths.tmpDir().resolve("kjadm-etcd-replace");
    }

    /** Removes what a replacement has noted on a machine with a standalone etcd. */
    public void removeReplacement(KubernetesPaths paths, Reporter out) {
        Path directory = replacement(paths);
        tellEnded(directory, "this machine", out);
        files.deleteTree(directory);
    }

    /**
     * Warns of what is unfinished on this machine and ends with the reset.
     *
     * @param below where its journals are
     * @param whose {@code this node}, for example
     */
    public void tellEnded(Path below, String whose, Reporter out) {
        for (Unfinished found : UnfinishedOperations.on(files).all()) {
            if (found.path().startsWith(below) && !KEPT_BY_OTHERS.contains(found.operation())) {
                out.warn("the unfinished %s of %s ends with the reset (%s)"
                        .formatted(found.operation().title(), whose, found.facts()));
            }
        }
    }

    /** Moves what a restore has left in the data directory, which a join needs empty. */
    public void moveRestoredData(Path dataDir, Instant now, Reporter out) {
        Path work = dataDir.resolve(WORK);
        if (files.exists(work)) {
            out.step(
                    AREA,
                    "The files of an unfinished restore were moved to "
                            + aside(dataDir, work, now));
        }
    }

    private void tellPreviousData(Path dataDir, Reporter out) {
        Stream.concat(
                        files.list(dataDir.getParent()).stream()
                                .filter(path -> named(path, dataDir.getFileName() + PREVIOUS)),
                        files.list(dataDir).stream()
                                .filter(path ->
                                        named(path, KubernetesPaths.ETCD_MEMBER + PREVIOUS)))
                .forEach(path ->
                        out.step(AREA, "etcd's data from before a restore stay in " + path));
    }

    private static boolean named(Path path, String start) {
        return path.getFileName().toString().startsWith(start);
    }

    /** Beside the data directory, or in it where that is a mount. */
    private Path aside(Path dataDir, Path work, Instant now) {
        Path place = new DataDirBackup(files, dataDir).place("restore", now);
        try {
            files.rename(work, place);
            return place;
        } catch (HostException e) {
            Path inside = dataDir.resolve(KubernetesPaths.ETCD_MEMBER
                    + place.getFileName()
                            .toString()
                            .substring(dataDir.getFileName().toString().length()));
            files.rename(work, inside);
            return inside;
        }
    }

    /** Removes what an unfinished upgrade keeps in a directory; its snapshot of etcd stays. */
    public void removeUpgrade(Path upgrade, Reporter out) {
        files.list(upgrade).stream()
                .filter(path -> !path.getFileName().toString().equals(SNAPSHOT))
                .toList()
                .forEach(files::deleteTree);
        if (files.exists(upgrade.resolve(SNAPSHOT))) {
            out.step(
                    AREA,
                    "The snapshot that an unfinished upgrade took stays in "
                            + upgrade.resolve(SNAPSHOT));
        } else {
            files.deleteTree(upgrade);
        }
    }
}
