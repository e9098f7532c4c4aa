package io.kjadm.core.etcd;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Journal;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Progress;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.MembershipJournal;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The journal of this node's etcd join, in {@code kjadm-etcd-join}. One that cannot be read, or is
 * of another machine, is as good as none: the member list then decides what may be continued.
 */
public final class JournalFile implements MembershipJournal {

    private static final Journal.Kind<JoinEntry> KIND = new Journal.Kind<>(
            Operation.JOIN,
            JoinEntry.class,
            entry -> new Progress(
                    entry.state(), entry.at(), Optional.of(entry.clusterId()), entry.memberId()),
            Journal.Damaged.IGNORE,
            "");

    private final Journal<JoinEntry> journal;

    /**
     * @param directory a place that survives a crash, {@code /etc/kubernetes/tmp}
     */
    public JournalFile(HostFiles files, Path directory) {
        this(files, directory, Fuse.none());
    }

    /** With a fault on purpose, see {@link Failpoints}. */
    public JournalFile(HostFiles files, Path directory, Fuse fuse) {
        this.journal = new Journal<>(files, directory.resolve("kjadm-etcd-join"), KIND, fuse);
    }

    @Override
    public Optional<JoinEntry> read() {
        return journal.read();
    }

    @Override
    public void write(JoinEntry entry) {
        journal.write(entry);
    }

    @Override
    public void clear() {
        journal.clear();
    }
}
