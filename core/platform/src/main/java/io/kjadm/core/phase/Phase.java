package io.kjadm.core.phase;

import java.util.List;

/**
 * One named step of a workflow. Running it again finds its work done, or continues it.
 *
 * @param <R> the immutable record of the run that phases pass on
 */
public interface Phase<R> {

    /** Name, help text, requirements and flags. */
    PhaseInfo info();

    /** Steps below this one; they run after its own action. */
    default List<Phase<R>> children() {
        return List.of();
    }

    /** Whether the phase has anything to do in this run; if not it is passed over in silence. */
    default boolean applies(R run) {
        return true;
    }

    /**
     * Does the step.
     *
     * @return the run record with what this step found out
     * @throws io.kjadm.core.error.KjadmException if it cannot be done
     */
    R run(R run, Reporter out);
}
