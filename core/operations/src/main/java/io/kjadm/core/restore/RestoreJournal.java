package io.kjadm.core.restore;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Journal;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Progress;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.etcd.MemberIds;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The journal of a restore or of a recovery, beside what is kept of what was before. It is about
 * the member whose data are set aside.
 */
final class RestoreJournal {

    private static final String RECOVERS = "kjadm etcd recover";

    private final Journal<Noted> restore;
    private final Journal<Noted> recovery;

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

    private static Journal.Kind<Noted> kind(Operation operation, RestoredEtcd etcd) {
        return kind(operation, Journal.Damaged.REFUSE, etcd.byHand());
    }

    private static Journal.Kind<Noted> kind(
            Operation operation, Journal.Damaged damaged, String byHand) {
        return new Journal.Kind<>(
                operation, Noted.class, Noted::progress, damaged, byHand, Noted::operation);
    }

    /** What is noted at that path, as far as it can be read. */
    static Optional<RestoreEntry> readable(HostFiles files, Path journal) {
        return new Journal<>(
                        files,
                        journal,
                        kind(Operation.RESTORE, Journal.Damaged.IGNORE, ""),
                        Fuse.none())
                .read()
                .map(Noted::entry);
    }

    /** On disk; the journal of an earlier release has no data. */
    private record Noted(
            String snapshot,
            String command,
            Instant began,
            String token,
            Path aside,
            RestoreStep step,
            Optional<Data> data) {

        static Noted of(RestoreEntry entry) {
            RestoreEntry.Data data = entry.data();
            return new Noted(
                    entry.snapshot(),
                    entry.command(),
                    entry.began(),
                    entry.token(),
                    entry.aside(),
                    entry.step(),
                    Optional.of(new Data(
                            data.previous(),
                            data.made(),
                            data.revision().stream().boxed().findFirst(),
                            data.undoing())));
        }

        RestoreEntry entry() {
            return new RestoreEntry(
                    snapshot,
                    command,
                    began,
                    token,
                    aside,
                    data.map(Data::entry)
                            .orElseGet(() -> new RestoreEntry.Data(
                                    Optional.empty(),
                                    Optional.empty(),
                                    OptionalLong.empty(),
                                    false)),
                    step);
        }

        Operation operation() {
            return command.startsWith(RECOVERS) ? Operation.RECOVER : Operation.RESTORE;
        }

        Progress progress() {
            Optional<MemberIds> previous = data.flatMap(Data::previous);
            return new Progress(
                    step,
                    began,
                    previous.map(MemberIds::clusterId),
                    previous.map(MemberIds::memberId));
        }
    }

    /** As {@link RestoreEntry.Data}. */
    private record Data(
            Optional<MemberIds> previous,
            Optional<MemberIds> made,
            Optional<Long> revision,
            boolean undoing) {

        RestoreEntry.Data entry() {
            return new RestoreEntry.Data(
                    previous,
                    made,
                    revision.map(OptionalLong::of).orElseGet(OptionalLong::empty),
                    undoing);
        }
    }

    /**
     * What was noted last, if a restore is under way.
     *
     * @throws HostException if it cannot be read, or is of another machine: it tells where the
     *     previous data are
     */
    Optional<RestoreEntry> read() {
        return restore.read().map(Noted::entry);
    }

    /** The same, unless its data are complete: those of another snapshot may take their place. */
    Optional<RestoreEntry> unfinished() {
        return read().filter(entry -> !entry.passed(RestoreStep.SERVING));
    }

    void write(RestoreEntry entry) {
        Noted noted = Noted.of(entry);
        (noted.operation() == Operation.RECOVER ? recovery : restore).write(noted);
    }
}
