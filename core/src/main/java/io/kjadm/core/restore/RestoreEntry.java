package io.kjadm.core.restore;

import java.nio.file.Path;
import java.time.Instant;

/**
 * What is noted of a restore while it is under way.
 *
 * @param snapshot name of the source that is restored
 * @param command  that has begun it and goes on with it
 * @param token    of the cluster that begins
 * @param aside    where the former data go
 * @param step     the last one that was seen through
 */
record RestoreEntry(
        String snapshot, String command, Instant began, String token, Path aside, Step step) {

    /** In this order. */
    enum Step {
        /** Nothing was changed but this note. */
        BEGUN,
        /** The snapshot lies beside the data, and is whole. */
        FETCHED,
        /** The control plane of this node does not run. */
        STOPPED,
        /** The former data are out of the way. */
        SET_ASIDE,
        /** The data are those of the snapshot. */
        REBUILT,
        /** etcd serves them. */
        SERVING
    }

    boolean passed(Step other) {
        return step.compareTo(other) >= 0;
    }

    RestoreEntry keptIn(Path place) {
        return new RestoreEntry(snapshot, command, began, token, place, step);
    }

    RestoreEntry at(Step next) {
        return new RestoreEntry(snapshot, command, began, token, aside, next);
    }
}
