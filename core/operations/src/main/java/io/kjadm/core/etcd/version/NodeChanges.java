package io.kjadm.core.etcd.version;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.version.UpgradeEntry.ChangedFile;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.Owner;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.journal.Operation;
import io.kjadm.etcd.MemberIds;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The files that an upgrade changes on this node, each kept before it is changed. A file is
 * replaced by one rename: there is no moment without one, so that a machine whose power goes comes
 * back with the old content or the new.
 *
 * <p>What was written is noted by its SHA-256. Where a file holds something else when an upgrade is to
 * be resumed, somebody else has changed it: see {@link ForeignChange}.
 */
public final class NodeChanges {

    private final HostFiles files;
    private final UpgradeJournal journal;
    private final Function<Path, FileMode> modes;
    private final FileSums sums;
    private final Optional<ForeignChange> overtaken;
    private final Optional<Path> followed;
    private UpgradeEntry entry;

    private NodeChanges(
            HostFiles files,
            UpgradeJournal journal,
            Function<Path, FileMode> modes,
            Optional<ForeignChange> overtaken,
            Optional<Path> followed,
            UpgradeEntry entry) {
        this.files = files;
        this.journal = journal;
        this.modes = modes;
        this.sums = new FileSums(files);
        this.overtaken = overtaken;
        this.followed = followed;
        this.entry = entry;
    }

    /**
     * Whose files are changed.
     *
     * @param directory of the journal and of what is kept
     * @param operation that changes them
     * @param modes     with which the files are put back
     * @param dataDir   of the machine's etcd, which tells whose member it is
     * @param fuse      a fault on purpose, or none
     */
    public record Place(
            Path directory,
            Operation operation,
            Function<Path, FileMode> modes,
            Function<HostFiles, Path> dataDir,
            Fuse fuse) {

        /** On a node of Kubernetes. */
        public static Place of(KubernetesPaths paths, Operation operation, Fuse fuse) {
            return new Place(
                    paths.tmpDir().resolve("kjadm-upgrade"),
                    operation,
                    NodeChanges::modeOf,
                    files -> LocalEtcdState.look(files, paths).dataDir(),
                    fuse);
        }

        private UpgradeJournal journal(HostFiles files) {
            return new UpgradeJournal(files, directory, operation, () -> member(files), fuse);
        }

        private Optional<MemberIds> member(HostFiles files) {
            return new DataDirReader(files)
                    .idsIn(dataDir.apply(files).resolve(KubernetesPaths.ETCD_MEMBER));
        }
    }

    /**
     * Begins an upgrade, or resumes one that was interrupted after it had changed something. One whose
     * files somebody else has changed since is not resumed, nor is one that lacks nothing but its end
     * where another version is wanted: what it has kept is moved aside.
     *
     * @param from version that runs now
     * @param to   version that is wanted
     * @throws HostException if there is a journal that cannot be read, another operation has changed
     *         files and has not ended, or somebody else has changed files of an unfinished roll-back
     */
    public static NodeChanges begin(
            HostFiles files, KubernetesPaths paths, String from, String to, Instant now) {
        return begin(files, Place.of(paths, Operation.UPGRADE, Fuse.none()), from, to, now);
    }

    /** {@link #begin(HostFiles, KubernetesPaths, String, String, Instant)} elsewhere. */
    public static NodeChanges begin(
            HostFiles files, Place place, String from, String to, Instant now) {
        UpgradeJournal journal = place.journal(files);
        KeptFiles kept = new KeptFiles(files, journal.place());
        Optional<UpgradeEntry> found = journal.read().filter(UpgradeEntry::changesFiles);
        Optional<ForeignChange> overtaken = found.flatMap(begun -> foreign(files, journal, begun))
                .map(change -> change.movedTo(files, kept.overtaken(now)));
        Optional<Path> followed = found.filter(_ -> overtaken.isEmpty())
                .filter(begun -> begun.isFollowedBy(to, new FileSums(files)))
                .map(_ -> kept.moved(now));
        Optional<UpgradeEntry> earlier =
                found.filter(_ -> overtaken.isEmpty() && followed.isEmpty());
        UpgradeEntry entry = earlier.map(begun -> begun.towards(to))
                .orElseGet(() -> UpgradeEntry.beginning(from, to, now));
        journal.write(entry);
        NodeChanges changes =
                new NodeChanges(files, journal, place.modes(), overtaken, followed, entry);
        if (earlier.isEmpty() && files.exists(changes.snapshotFile())) {
            // it is of a run that changed nothing, and of whatever age
            files.delete(changes.snapshotFile());
        }
        return changes;
    }

    private static Optional<ForeignChange> foreign(
            HostFiles files, UpgradeJournal journal, UpgradeEntry entry) {
        return ForeignChange.of(files, entry, journal.place()).map(ForeignChange::requireForward);
    }

    /**
     * An upgrade of this node that was interrupted, has changed something, and would be resumed;
     * nothing is changed by asking.
     *
     * @throws HostException as {@link #begin(HostFiles, KubernetesPaths, String, String, Instant)}
     */
    public static Optional<Unfinished> unfinished(HostFiles files, KubernetesPaths paths) {
        return unfinished(files, Place.of(paths, Operation.UPGRADE, Fuse.none()));
    }

    /** {@link #unfinished(HostFiles, KubernetesPaths)} elsewhere. */
    public static Optional<Unfinished> unfinished(HostFiles files, Place place) {
        return unfinished(files, place.journal(files), _ -> true);
    }

    /** The same of one that would be resumed if that version is wanted now. */
    public static Optional<Unfinished> unfinished(HostFiles files, Place place, String to) {
        return unfinished(
                files, place.journal(files), entry -> !entry.isFollowedBy(to, new FileSums(files)));
    }

    /** The same, where an unfinished operation of another kind is none of the caller's. */
    public static Optional<Unfinished> unfinishedIfOwn(HostFiles files, Place place) {
        UpgradeJournal journal = place.journal(files);
        return journal.isOfAnother() ? Optional.empty() : unfinished(files, journal, _ -> true);
    }

    private static Optional<Unfinished> unfinished(
            HostFiles files, UpgradeJournal journal, Predicate<UpgradeEntry> resumed) {
        return journal.read()
                .filter(UpgradeEntry::changesFiles)
                .filter(resumed)
                .filter(entry -> foreign(files, journal, entry).isEmpty())
                .map(entry -> new Unfinished(entry.from(), entry.to(), entry.rollingBack()));
    }

    /**
     * Why an upgrade that was interrupted is not resumed; nothing is changed by asking.
     *
     * @throws HostException as {@link #unfinished(HostFiles, Place)}
     */
    public static Optional<ForeignChange> overtaken(HostFiles files, Place place) {
        UpgradeJournal journal = place.journal(files);
        return journal.read()
                .filter(UpgradeEntry::changesFiles)
                .flatMap(entry -> foreign(files, journal, entry));
    }

    /** Why an earlier upgrade that was interrupted is not resumed, if there was one. */
    public Optional<ForeignChange> overtaken() {
        return overtaken;
    }

    /**
     * Where the files are that an earlier upgrade has kept, if there was one that lacked nothing but
     * its end.
     */
    public Optional<Path> followed() {
        return followed;
    }

    /**
     * An upgrade that did not end.
     *
     * @param rollingBack whether it was being rolled back
     */
    public record Unfinished(String from, String to, boolean rollingBack) {}

    /** The version before the first of the runs. */
    public String from() {
        return entry.from();
    }

    /** Whether a run gave up and did not finish to roll back. */
    public boolean rollingBack() {
        return entry.rollingBack();
    }

    /** Whether the exchange or the roll-back of a component is not finished. */
    public boolean unsettled() {
        return entry.isUnsettled();
    }

    /** Where a snapshot of etcd that belongs to this upgrade is kept. */
    public Path snapshotFile() {
        return journal.place().resolve("etcd-snapshot.db");
    }

    /** The verified snapshot of etcd, if one was taken and is still there. */
    public Optional<Path> snapshot() {
        return entry.snapshot().filter(files::exists);
    }

    /** Notes that the snapshot is whole. */
    public void snapshotTaken() {
        note(entry.withSnapshot(snapshotFile()));
    }

    /** Whether an earlier run saw the step through, and its files are still as it wrote them. */
    public boolean isDone(String step) {
        return entry.done().contains(step)
                && entry.changed().stream()
                        .filter(file -> file.step().equals(step))
                        .allMatch(sums::holdsWritten);
    }

    /** Notes that the step was seen to work. */
    public void done(String step) {
        note(entry.withDone(step));
    }

    /**
     * Writes a file, its former content being kept first.
     *
     * @return whether it was another
     */
    public boolean write(String step, Path path, String content, FileMode mode) {
        return write(step, path, content.getBytes(StandardCharsets.UTF_8), mode);
    }

    /** {@link #write(String, Path, String, FileMode)} of bytes. */
    public boolean write(String step, Path path, byte[] content, FileMode mode) {
        if (holds(path, content)) {
            return false;
        }
        announce(step, path, FileSums.of(content));
        files.write(path, content, mode);
        return true;
    }

    private void announce(String step, Path path, String sum) {
        Optional<ChangedFile> known = entry.file(path);
        if (known.isEmpty()) {
            keep(step, path, List.of(sum));
        } else if (!known.get().wroteLast(sum)) {
            // what an earlier release has written, it has not noted
            Stream<String> now =
                    known.get().written().isEmpty() ? sums.of(path).stream() : Stream.empty();
            note(entry.writing(path, Stream.concat(now, Stream.of(sum)).toList()));
        }
    }

    /** Notes which pods of a component run before its manifest is exchanged; the first word counts. */
    public void replacing(String component, Set<String> pods) {
        note(entry.replacing(component, pods));
    }

    /** The pods that ran before a component's manifest was exchanged, by UID; none if it was not. */
    public Set<String> replaced(String component) {
        return entry.replaced().getOrDefault(component, Set.of());
    }

    /** Keeps a file that somebody else is going to change as part of a step; may be repeated. */
    public void keep(String step, Path path) {
        if (entry.file(path).isEmpty()) {
            keep(step, path, List.of());
        }
    }

    private void keep(String step, Path path, List<String> written) {
        Path saved = journal.place()
                .resolve("%02d-%s".formatted(entry.changed().size() + 1, path.getFileName()));
        if (files.exists(tried(step, path))) {
            files.delete(tried(step, path));
        }
        boolean there = kept().copy(path, saved);
        note(entry.with(
                new ChangedFile(step, path, Optional.of(saved).filter(_ -> there), written)));
    }

    private boolean holds(Path path, byte[] content) {
        return sums.of(path).filter(FileSums.of(content)::equals).isPresent();
    }

    /** The steps that changed files, the last one first. */
    public List<String> changedSteps() {
        return entry.changed().stream()
                .map(ChangedFile::step)
                .distinct()
                .toList()
                .reversed();
    }

    /** The files that a step changed. */
    public List<Path> changedBy(String step) {
        return entry.changed().stream()
                .filter(file -> file.step().equals(step))
                .map(ChangedFile::path)
                .toList();
    }

    /** What a changed file held before; empty if it was not changed, or not there. */
    public Optional<String> former(Path path) {
        return entry.file(path).flatMap(ChangedFile::saved).flatMap(files::read);
    }

    /** Notes that it goes back from now on, whoever runs next. */
    public void giveUp() {
        note(entry.givenUp());
    }

    /**
     * Puts back what a step changed, the last file first.
     *
     * @throws HostException if a file is not as it was; those put back so far stay so
     */
    public void restore(String step) {
        entry.changed().reversed().stream()
                .filter(file -> file.step().equals(step))
                .forEach(this::restore);
    }

    private void restore(ChangedFile file) {
        if (file.saved().isEmpty()) {
            kept().copy(file.path(), tried(file.step(), file.path()));
            files.delete(file.path());
            return;
        }
        Path saved = file.saved().get();
        byte[] former = files.readBytes(saved)
                .orElseThrow(() -> new HostException(
                        "%s cannot be restored".formatted(file.path()),
                        "its previous content in %s is missing".formatted(saved),
                        "restore it from a backup"));
        if (!holds(file.path(), former)) {
            kept().copy(file.path(), tried(file.step(), file.path()));
            replace(file.path(), former);
        }
    }

    /**
     * Writes again what {@link #restore(String)} has taken away from a step, where that cannot work
     * any longer; files that still have it stay as they are.
     *
     * @return whether one was written
     */
    public boolean redo(String step) {
        boolean written = false;
        for (Path path : changedBy(step)) {
            Optional<byte[]> content =
                    files.readBytes(tried(step, path)).filter(known -> !holds(path, known));
            content.ifPresent(known -> replace(path, known));
            written |= content.isPresent();
        }
        return written;
    }

    /** Its owner stays: a control plane without root has keys of its own users. */
    private void replace(Path path, byte[] content) {
        Owner owner = files.exists(path) ? files.owner(path) : Owner.ROOT;
        files.write(path, content, modes.apply(path), owner);
    }

    private KeptFiles kept() {
        return new KeptFiles(files, journal.place());
    }

    /** Where the content is kept that a roll-back took away. */
    private Path tried(String step, Path path) {
        return journal.place().resolve("%s-%s.tried".formatted(step, path.getFileName()));
    }

    /** Everything that an upgrade changes is a secret or a public file of the kubelet's. */
    private static FileMode modeOf(Path path) {
        return path.startsWith(KubernetesPaths.KUBELET_DIR) || path.toString().endsWith(".crt")
                ? FileMode.WORLD_READABLE
                : FileMode.OWNER_ONLY;
    }

    /** Notes that a step is as it was before, and was seen to work. */
    public void restored(String step) {
        forget(step);
    }

    /** Puts nothing of a step back any more: its files stay as they are now. */
    public void forget(String step) {
        note(entry.without(step));
    }

    /** Notes that the roll-back has ended, and that what is still changed only goes forward. */
    public void goForward() {
        note(entry.goingForward());
    }

    /**
     * Ends the upgrade, or its roll-back: what was kept gets a name with its time, and of former
     * ones the newest three stay.
     *
     * @return where it is kept; empty if there is nothing
     */
    public Optional<Path> end(Instant now) {
        if (entry.changed().isEmpty() && snapshot().isEmpty()) {
            files.deleteTree(journal.place());
            return Optional.empty();
        }
        return Optional.of(kept().moved(now));
    }

    private void note(UpgradeEntry next) {
        journal.write(next);
        entry = next;
    }
}
