package io.kjadm.core.phase;

import java.util.List;
import java.util.function.BiConsumer;

/**
 * A phase that only bundles others.
 *
 * @param info     its name and help
 * @param heading  what it says before its children run
 * @param children the steps of the group, in order
 * @param <R>      the run record
 */
public record PhaseGroup<R>(
        PhaseInfo info, BiConsumer<R, Reporter> heading, List<Phase<R>> children)
        implements Phase<R> {

    public PhaseGroup {
        children = List.copyOf(children);
    }

    /** A group that says nothing of its own. */
    public static <R> PhaseGroup<R> of(PhaseInfo info, List<Phase<R>> children) {
        return new PhaseGroup<>(info, (run, out) -> {}, children);
    }

    @Override
    public R run(R run, Reporter out) {
        heading.accept(run, out);
        return run;
    }
}
