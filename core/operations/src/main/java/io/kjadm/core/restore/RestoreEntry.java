package io.kjadm.core.restore;

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
 * @param data     what tells the previous data from those that the restore makes
 * @param step     the last one that is complete
 */
record RestoreEntry(
        String snapshot,
        String command,
        Instant began,
        String token,
        Path aside,
        Data data,
        RestoreStep step) {

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
            OptionalLong revision,
            boolean undoing) {}

    boolean passed(RestoreStep other) {
        return step.compareTo(other) >= 0;
    }

    RestoreEntry keptIn(Path place) {
        return new RestoreEntry(snapshot, command, began, token, place, data, step);
    }

    RestoreEntry at(RestoreStep next) {
        return new RestoreEntry(snapshot, command, began, token, aside, data, next);
    }

    RestoreEntry from(OptionalLong revision) {
        return with(new Data(data.previous, data.made, revision, data.undoing));
    }

    RestoreEntry undoing(Optional<MemberIds> previous, MemberIds made) {
        return with(new Data(previous, Optional.of(made), data.revision, true));
    }

    private RestoreEntry with(Data changed) {
        return new RestoreEntry(snapshot, command, began, token, aside, changed, step);
    }
}
