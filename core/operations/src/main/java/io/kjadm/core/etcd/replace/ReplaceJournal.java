package io.kjadm.core.etcd.replace;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.Journal;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Progress;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.join.MembershipJournal;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The journal of a replacement, beside that of the new member's join. Each is written, synced and
 * renamed before the change that it announces.
 */
public final class ReplaceJournal {

    private static final Journal.Kind<ReplaceEntry> KIND = new Journal.Kind<>(
            Operation.REPLACE,
            ReplaceEntry.class,
            entry -> new Progress(
                    entry.stage(),
                    entry.began(),
                    Optional.of(entry.clusterId()),
                    Optional.of(entry.old().id())),
            Journal.Damaged.REFUSE,
            "compare 'kjadm etcd member list' with what was to be replaced, finish that by 'kjadm etcd member' commands, then delete its directory");

    private final Journal<ReplaceEntry> journal;
    private final MembershipJournal joining;

    /** The journal of this machine. */
    public ReplaceJournal(
            HostFiles files, KubernetesPaths paths, Failpoints failpoints, Waiter waiter) {
        Path directory = paths.tmpDir().resolve("kjadm-etcd-replace");
        this.journal = new Journal<>(
                files, directory.resolve("journal.json"), KIND, failpoints.fuse(waiter));
        this.joining = new JournalFile(files, directory, failpoints.fuse(waiter));
    }

    /** Of the new member's join. */
    MembershipJournal joining() {
        return joining;
    }

    /** Where both are; who aborts a replacement deletes it. */
    Path directory() {
        return journal.path().getParent();
    }

    /**
     * What was noted last, if a replacement is under way.
     *
     * @throws HostException if it cannot be read: it tells what may have been changed
     */
    Optional<ReplaceEntry> read() {
        return journal.read();
    }

    void write(ReplaceEntry entry) {
        journal.write(entry);
    }

    /** The replacement has ended. */
    void clear() {
        joining.clear();
        journal.clear();
    }
}
