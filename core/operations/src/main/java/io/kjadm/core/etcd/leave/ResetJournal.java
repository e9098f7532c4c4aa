package io.kjadm.core.etcd.leave;

import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Journal;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Progress;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.staticpod.ManifestStash;
import io.kjadm.etcd.MemberId;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The journal of this node's reset, as JSON beside the manifests that are
 * {@link ManifestStash taken out}: what an earlier run has noted, and what this one notes. A file
 * that cannot be read is as good as none: the member list and the manifests then tell what is left
 * to do.
 */
public final class ResetJournal {

    private static final Journal.Kind<ResetEntry> KIND = new Journal.Kind<>(
            Operation.RESET,
            ResetEntry.class,
            entry -> new Progress(entry.state(), entry.at(), entry.clusterId(), entry.memberId()),
            Journal.Damaged.IGNORE,
            "");

    private final Journal<ResetEntry> journal;
    private final String criSocket;
    private final Waiter clock;
    private Optional<ResetEntry> entry;

    /**
     * @param path      where it is
     * @param criSocket of the container runtime, empty where there is none
     * @param fuse      a fault on purpose, or none
     */
    public ResetJournal(HostFiles files, Path path, String criSocket, Waiter clock, Fuse fuse) {
        this.journal = new Journal<>(files, path, KIND, fuse);
        this.criSocket = criSocket;
        this.clock = clock;
        this.entry = journal.read();
    }

    /** Where a reset keeps it, and the manifests. */
    public static Path place(KubernetesPaths paths) {
        return paths.tmpDir().resolve("kjadm-reset");
    }

    /** What was noted last. */
    public static Optional<ResetEntry> read(HostFiles files, Path path) {
        return new Journal<>(files, path, KIND, Fuse.none()).read();
    }

    /** What was noted last. */
    public Optional<ResetEntry> entry() {
        return entry;
    }

    /**
     * Whether an earlier run, or this one, came as far as that the cluster can do without the
     * member.
     */
    public boolean left() {
        return entry.filter(known -> known.state().left()).isPresent();
    }

    /** The first state; what an earlier run of the same member has noted is kept. */
    public void begin(Optional<MemberId> member, Optional<String> cluster) {
        entry = entry.filter(known -> known.memberId().equals(member));
        write(current().about(member, cluster).to(ResetState.RETIRING, clock.now()));
    }

    /** Notes the state. */
    public void enter(ResetState state) {
        write(current().to(state, clock.now()));
    }

    /** Notes where the snapshot goes that is taken next. */
    void enterSnapshot(Path file) {
        write(current().withSnapshot(file).to(ResetState.SNAPSHOT, clock.now()));
    }

    /** Notes, together with the state, where the data goes that is moved next. */
    public void enter(ResetState state, Path data) {
        write(current().withData(data).to(state, clock.now()));
    }

    /** Where the data goes: as noted, or a new place. */
    public Path place(DataDirBackup backup, String why) {
        return entry.flatMap(ResetEntry::data).orElseGet(() -> backup.place(why, clock.now()));
    }

    private ResetEntry current() {
        return entry.orElseGet(() -> ResetEntry.retiring(criSocket, clock.now()));
    }

    private void write(ResetEntry next) {
        journal.write(next);
        entry = Optional.of(next);
    }
}
