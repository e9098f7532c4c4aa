package io.kjadm.core.etcd.version;

import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.UpgradeStep;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is noted of this node's upgrade while it is under way.
 *
 * @param from        version of the control plane before, {@code v1.35.6} for example
 * @param to          version that is wanted
 * @param began       when the first of its runs began
 * @param snapshot    the verified snapshot of etcd that was taken before anything was changed
 * @param done        steps that were seen to work
 * @param changed     files that were changed, in that order
 * @param replaced    the pods that ran before a component's manifest was exchanged, by UID
 * @param rollingBack whether it was given up and the files go back
 */
public record UpgradeEntry(
        String from,
        String to,
        Instant began,
        Optional<Path> snapshot,
        Set<String> done,
        List<ChangedFile> changed,
        Map<String, Set<String>> replaced,
        boolean rollingBack) {

    public UpgradeEntry {
        done = Set.copyOf(done);
        changed = List.copyOf(changed);
        replaced = Map.copyOf(replaced);
    }

    /**
     * A file that was changed.
     *
     * @param step    that changed it, {@code etcd} for example
     * @param path    of the file
     * @param saved   where its former content is; empty if there was no such file
     * @param written the SHA-256 of what was written to it, the last one last; none by an earlier
     *     release, and where another program than this one writes it
     */
    record ChangedFile(String step, Path path, Optional<Path> saved, List<String> written) {

        ChangedFile {
            written = List.copyOf(written);
        }

        /** Whether that is what was written last. */
        boolean wroteLast(String sum) {
            return !written.isEmpty() && written.getLast().equals(sum);
        }

        private ChangedFile writing(List<String> sums) {
            return new ChangedFile(
                    step,
                    path,
                    saved,
                    Stream.concat(written.stream(), sums.stream()).toList());
        }
    }

    static UpgradeEntry beginning(String from, String to, Instant now) {
        return new UpgradeEntry(
                from, to, now, Optional.empty(), Set.of(), List.of(), Map.of(), false);
    }

    /**
     * The same upgrade, on to another version: what was there at first is still what a roll-back
     * leads to.
     */
    UpgradeEntry towards(String version) {
        return version.equals(to)
                ? this
                : new UpgradeEntry(
                        from, version, began, snapshot, Set.of(), changed, replaced, rollingBack);
    }

    UpgradeEntry withSnapshot(Path file) {
        return new UpgradeEntry(
                from, to, began, Optional.of(file), done, changed, replaced, rollingBack);
    }

    UpgradeEntry withDone(String step) {
        Set<String> all = new LinkedHashSet<>(done);
        all.add(step);
        return new UpgradeEntry(from, to, began, snapshot, all, changed, replaced, rollingBack);
    }

    UpgradeEntry with(ChangedFile file) {
        List<ChangedFile> all = new ArrayList<>(changed);
        all.add(file);
        return new UpgradeEntry(from, to, began, snapshot, done, all, replaced, rollingBack);
    }

    /** The same, with what is about to be written to a file that is kept already. */
    UpgradeEntry writing(Path path, List<String> sums) {
        return new UpgradeEntry(
                from,
                to,
                began,
                snapshot,
                done,
                changed.stream()
                        .map(file -> file.path().equals(path) ? file.writing(sums) : file)
                        .toList(),
                replaced,
                rollingBack);
    }

    /** The first to run before the exchange are the ones that count. */
    UpgradeEntry replacing(String component, Set<String> pods) {
        Map<String, Set<String>> all = new HashMap<>(replaced);
        all.putIfAbsent(component, Set.copyOf(pods));
        return new UpgradeEntry(from, to, began, snapshot, done, changed, all, rollingBack);
    }

    /** Given up: nothing counts as done any more. */
    UpgradeEntry givenUp() {
        return new UpgradeEntry(from, to, began, snapshot, Set.of(), changed, replaced, true);
    }

    /** What could not go back stays changed, and the next run goes on with it. */
    UpgradeEntry goingForward() {
        return new UpgradeEntry(from, to, began, snapshot, done, changed, replaced, false);
    }

    /** Without the files of a step, which are as they were. */
    UpgradeEntry without(String step) {
        return new UpgradeEntry(
                from,
                to,
                began,
                snapshot,
                done,
                changed.stream().filter(file -> !file.step().equals(step)).toList(),
                replaced,
                rollingBack);
    }

    /**
     * Whether it lacks nothing but its end, and another version is wanted now: what it has exchanged
     * was seen to work, and has served since. Who goes back from the other version goes back to that,
     * and not to what was there before.
     */
    boolean isFollowedBy(String version, FileSums sums) {
        List<ChangedFile> exchanged = changed.stream()
                .filter(file -> replaced.isEmpty() || replaced.containsKey(file.step()))
                .toList();
        return !version.equals(to)
                && !rollingBack
                && !exchanged.isEmpty()
                && exchanged.stream()
                        .allMatch(file -> done.contains(file.step()) && sums.holdsWritten(file));
    }

    /**
     * Whether files are being put back, or a component was exchanged and not seen to work: only who
     * exchanges components ends that.
     */
    boolean isUnsettled() {
        return rollingBack
                || changed.stream()
                        .map(ChangedFile::step)
                        .anyMatch(step -> replaced.containsKey(step) && !done.contains(step));
    }

    /** Whether a file was changed, or is put back. */
    boolean changesFiles() {
        return rollingBack || !changed.isEmpty();
    }

    UpgradeStep step() {
        if (rollingBack) {
            return UpgradeStep.ROLLING_BACK;
        }
        if (!done.isEmpty()) {
            return UpgradeStep.COMPONENT_DONE;
        }
        if (!changed.isEmpty()) {
            return UpgradeStep.CHANGING;
        }
        return snapshot.isPresent() ? UpgradeStep.SNAPSHOT_TAKEN : UpgradeStep.BEGUN;
    }

    /** Without a header, the version tells which of the two operations it is. */
    Operation operationOfEarlierRelease() {
        return from.startsWith("etcd ") ? Operation.ETCD_VERSION : Operation.UPGRADE;
    }

    /** What is noted of a file, if its former content is kept already. */
    Optional<ChangedFile> file(Path path) {
        return changed.stream().filter(file -> file.path().equals(path)).findFirst();
    }
}
