package io.kjadm.core.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints.Fuse;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The journal of an operation that can be interrupted: one record as JSON, written, synced and
 * renamed before the step that it announces. Each entry has a header that says whose it is.
 *
 * <p>A journal of another machine, on a disk that was copied or moved, is never continued here.
 *
 * @param <T> a record with one component for each field on disk
 */
public final class Journal<T> {

    static final String OWNER = "owner";

    /**
     * What becomes of a journal that cannot be read, or belongs to another machine. Writes are
     * atomic, so this program leaves none that is torn.
     */
    public enum Damaged {
        /**
         * It stops the command: the journal alone tells where previous data and files are kept, or
         * what may have been changed. This is the rule.
         */
        REFUSE,
        /**
         * It counts as none. For a join and a reset: both decide by the member list and by the data
         * directory what may be continued, and remember less without a journal, but do nothing else;
         * a join after a power cut must not wait for an operator. And for a rotation of the CA, whose
         * stages etcd knows.
         */
        IGNORE
    }

    /**
     * What is the same for all journals of an operation.
     *
     * @param operation in the header
     * @param type      of the entries
     * @param progress  what an entry tells for the header
     * @param damaged   what becomes of one that cannot be read
     * @param advice    what to do then
     * @param earlier   the operation of an entry that an earlier release wrote, without a header
     */
    public record Kind<T>(
            Operation operation,
            Class<T> type,
            Function<T, Progress> progress,
            Damaged damaged,
            String advice,
            Function<T, Operation> earlier) {

        /** Of a place where journals of one operation are. */
        public Kind(
                Operation operation,
                Class<T> type,
                Function<T, Progress> progress,
                Damaged damaged,
                String advice) {
            this(operation, type, progress, damaged, advice, _ -> operation);
        }
    }

    private final HostFiles files;
    private final Path path;
    private final Kind<T> kind;
    private final Fuse fuse;

    /**
     * @param path a place that survives a crash and a reboot
     * @param fuse a fault on purpose, or none
     */
    public Journal(HostFiles files, Path path, Kind<T> kind, Fuse fuse) {
        this.files = files;
        this.path = path;
        this.kind = kind;
        this.fuse = fuse;
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /**
     * The last entry, if the operation is under way.
     *
     * @throws HostException if it cannot be read or belongs to another machine, and such a journal
     *         stops the command
     */
    public Optional<T> read() {
        return entry().map(Noted::entry);
    }

    /**
     * Whose it is; without what an earlier release has not noted.
     *
     * @throws HostException as for {@link #read}
     */
    public Optional<JournalOwner> owner() {
        return entry().map(Noted::owner);
    }

    private record Noted<T>(JournalOwner owner, T entry) {}

    private Optional<Noted<T>> entry() {
        Optional<String> text = files.read(path);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Noted<T> noted;
        try {
            JsonNode node = JournalJson.parse(text.get());
            T entry = JournalJson.read(node, kind.type());
            noted = new Noted<>(owner(node, entry), entry);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            refuse(() -> new HostException(
                    "the journal of an unfinished %s, %s, cannot be read"
                            .formatted(kind.operation().title(), path),
                    JournalJson.fault(e),
                    kind.advice(),
                    e));
            return Optional.empty();
        }
        if (noted.owner().isOfAnotherThan(JournalOwner.machine(files))) {
            refuse(() -> ofAnotherMachine(noted.owner(), path));
            return Optional.empty();
        }
        return Optional.of(noted);
    }

    /** Throws it, unless such a journal counts as none. */
    private void refuse(Supplier<HostException> refusal) {
        if (kind.damaged() == Damaged.REFUSE) {
            throw refusal.get();
        }
    }

    private JournalOwner owner(JsonNode node, T entry) throws JsonProcessingException {
        if (node.has(OWNER)) {
            return JournalJson.read(node.get(OWNER), JournalOwner.class);
        }
        Progress progress = kind.progress().apply(entry);
        return new JournalOwner(
                kind.earlier().apply(entry),
                Optional.empty(),
                Optional.empty(),
                progress.clusterId(),
                progress.memberId(),
                Optional.of(progress.at()),
                progress.step().name());
    }

    /** Replaces the entry; the step that it announces comes after this. */
    public void write(T entry) {
        Progress progress = kind.progress().apply(entry);
        fuse.around(progress.step(), () -> put(entry, progress));
    }

    private void put(T entry, Progress progress) {
        Optional<JournalOwner> before = headerBefore(progress);
        JournalOwner owner = new JournalOwner(
                kind.operation(),
                JournalOwner.machine(files),
                JournalOwner.boot(files),
                progress.clusterId(),
                progress.memberId(),
                before.flatMap(JournalOwner::began).or(() -> Optional.of(progress.at())),
                progress.step().name());
        ObjectNode node = JournalJson.tree(entry);
        node.set(OWNER, JournalJson.tree(owner));
        files.write(path, JournalJson.text(node), FileMode.OWNER_ONLY);
    }

    /** Of the entry that is replaced, if that is of the same operation and member. */
    private Optional<JournalOwner> headerBefore(Progress next) {
        try {
            return owner().filter(owner -> owner.operation() == kind.operation())
                    .filter(owner -> owner.memberId().isEmpty()
                            || next.memberId().isEmpty()
                            || owner.memberId().equals(next.memberId()));
        } catch (HostException e) {
            return Optional.empty();
        }
    }

    /** The operation has ended. */
    public void clear() {
        files.delete(path);
    }

    static HostException ofAnotherMachine(JournalOwner owner, Path path) {
        return new HostException(
                "the unfinished %s in %s is of another machine"
                        .formatted(owner.operation().title(), path),
                "it was started by the machine with ID %s, and this disk was copied or moved since"
                        .formatted(owner.machine().orElse("")),
                "continue it on that machine; if that one no longer exists, move %s away"
                        .formatted(path));
    }
}
