package io.kjadm.core.restore;

import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.Progress;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.etcd.MemberIds;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is noted of a restore while it is under way.
 *
 * @param snapshot name of the source that is restored
 * @param command  that began it and resumes it
 * @param token    of the new cluster
 * @param aside    where the previous data go
 * @param step     the last one that is complete
 * @param data     what tells the previous data from those that the restore makes; empty in the
 *     journal of an earlier release
 */
record RestoreEntry(
        String snapshot,
        String command,
        Instant began,
        String token,
        Path aside,
        RestoreStep step,
        Optional<Data> data) {

    private static final String RECOVERS = "kjadm etcd recover";

    /**
     * Data on this machine.
     *
     * @param previous IDs of the member whose data are set aside; empty if it had none, or its
     *     write-ahead log cannot be read
     * @param made     IDs of the new member; empty in the journal of an earlier release
     * @param revision the lowest that the new member may serve, as far as known
     * @param undoing  whether the previous data are being put back
     */
    record Data(
            Optional<MemberIds> previous,
            Optional<MemberIds> made,
            Optional<Long> revision,
            boolean undoing) {

        private static final Data UNKNOWN =
                new Data(Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    /** What is known of the data. */
    Data known() {
        return data.orElse(Data.UNKNOWN);
    }

    /** The lowest revision that the new member may serve, as far as known. */
    OptionalLong lowestRevision() {
        return known().revision.map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    /** A recovery restores, too; its command tells. */
    Operation operation() {
        return command.startsWith(RECOVERS) ? Operation.RECOVER : Operation.RESTORE;
    }

    /** What the header of its journal tells. */
    Progress progress() {
        Optional<MemberIds> previous = known().previous;
        return new Progress(
                step, began, previous.map(MemberIds::clusterId), previous.map(MemberIds::memberId));
    }

    boolean passed(RestoreStep other) {
        return step.compareTo(other) >= 0;
    }

    RestoreEntry keptIn(Path place) {
        return new RestoreEntry(snapshot, command, began, token, place, step, data);
    }

    RestoreEntry at(RestoreStep next) {
        return new RestoreEntry(snapshot, command, began, token, aside, next, data);
    }

    RestoreEntry from(OptionalLong revision) {
        return with(new Data(
                known().previous,
                known().made,
                revision.stream().boxed().findFirst(),
                known().undoing));
    }

    RestoreEntry undoing(Optional<MemberIds> previous, MemberIds made) {
        return with(new Data(previous, Optional.of(made), known().revision, true));
    }

    private RestoreEntry with(Data changed) {
        return new RestoreEntry(snapshot, command, began, token, aside, step, Optional.of(changed));
    }
}
