package io.kjadm.core.restore;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Journal;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.RestoreStep;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The journal of a restore or of a recovery, beside what is kept of what was before. It is about
 * the member whose data are set aside.
 */
final class RestoreJournal {

    private final Journal<RestoreEntry> restore;
    private final Journal<RestoreEntry> recovery;

    /** A journal that is only read. */
    RestoreJournal(HostFiles files, RestoredEtcd etcd) {
        this(files, etcd, Fuse.none());
    }

    RestoreJournal(HostFiles files, RestoredEtcd etcd, Fuse fuse) {
        this.restore = new Journal<>(
                files, etcd.host().restoreJournal(), kind(Operation.RESTORE, etcd), fuse);
        this.recovery = new Journal<>(
                files, etcd.host().restoreJournal(), kind(Operation.RECOVER, etcd), fuse);
    }

    private static Journal.Kind<RestoreEntry> kind(Operation operation, RestoredEtcd etcd) {
        return kind(operation, Journal.Damaged.REFUSE, etcd.byHand());
    }

    private static Journal.Kind<RestoreEntry> kind(
            Operation operation, Journal.Damaged damaged, String byHand) {
        return new Journal.Kind<>(
                operation,
                RestoreEntry.class,
                RestoreEntry::progress,
                damaged,
                byHand,
                RestoreEntry::operation);
    }

    /** What is noted at that path, as far as it can be read. */
    static Optional<RestoreEntry> readable(HostFiles files, Path journal) {
        return new Journal<>(
                        files,
                        journal,
                        kind(Operation.RESTORE, Journal.Damaged.IGNORE, ""),
                        Fuse.none())
                .read();
    }

    /**
     * What was noted last, if a restore is under way.
     *
     * @throws HostException if it cannot be read, or is of another machine: it tells where the
     *     previous data are
     */
    Optional<RestoreEntry> read() {
        return restore.read();
    }

    /** The same, unless its data are complete: those of another snapshot may take their place. */
    Optional<RestoreEntry> unfinished() {
        return read().filter(entry -> !entry.passed(RestoreStep.SERVING));
    }

    void write(RestoreEntry entry) {
        (entry.operation() == Operation.RECOVER ? recovery : restore).write(entry);
    }
}
