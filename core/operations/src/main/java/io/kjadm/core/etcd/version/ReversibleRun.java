package io.kjadm.core.etcd.version;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.etcd.CommonReason;

import java.util.List;
import java.util.function.Supplier;

/**
 * Work that changes this machine and is rolled back if it fails. A roll-back that was interrupted is
 * finished first, and ends the run.
 *
 * @param changes what was changed so far
 * @param area    of the messages
 * @param putBack rolls everything back, the last change first, and tells what could not be
 */
public record ReversibleRun(
        NodeChanges changes, String area, Reporter out, Supplier<List<String>> putBack) {

    private static final String NEXT = "fix the cause, then run the same command again";

    /**
     * Does it.
     *
     * @param rolledBack says that an interrupted roll-back was finished
     * @param beginning  says that a roll-back begins
     * @throws ClusterException if it failed and was rolled back, as far as possible
     */
    public void run(Runnable work, String rolledBack, Supplier<String> beginning) {
        if (changes.rollingBack()) {
            out.step(area, "An earlier run was rolling back: that is finished first");
            List<String> faults = Uninterrupted.call(putBack);
            throw new ClusterException(
                    rolledBack,
                    faults.isEmpty()
                            ? "an earlier run had started the roll-back"
                            : String.join("; ", faults),
                    NEXT);
        }
        try {
            work.run();
        } catch (KjadmException e) {
            throw afterwards(e, beginning);
        }
    }

    /** A run that was asked to stop leaves it to the next one to resume. */
    private KjadmException afterwards(KjadmException failure, Supplier<String> beginning) {
        if (Thread.currentThread().isInterrupted() || changes.changedSteps().isEmpty()) {
            return failure;
        }
        out.warn(failure.problem().facts());
        out.step(area, beginning.get());
        List<String> faults = Uninterrupted.call(() -> {
            changes.giveUp();
            return putBack.get();
        });
        return new ClusterException(
                faults.isEmpty() ? CommonReason.ROLLED_BACK : CommonReason.PARTLY_ROLLED_BACK,
                failure.what(),
                failure.why()
                        + (faults.isEmpty()
                                ? "; this node is as it was before (%s)".formatted(changes.from())
                                : "; not everything could be rolled back: "
                                        + String.join("; ", faults)),
                faults.isEmpty()
                        ? NEXT
                        : "fix the problems listed, then run the same command again",
                failure);
    }
}
