package io.kjadm.core.phase;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * A phase that needs no class of its own: what it does is a function, and the run goes on as it was.
 *
 * @param when     whether it has anything to do in a run
 * @param work     done before its children
 * @param children the steps of a group, in order
 * @param <R>      the run record
 */
public record PlainPhase<R>(
        PhaseInfo info, Predicate<R> when, BiConsumer<R, Reporter> work, List<Phase<R>> children)
        implements Phase<R> {

    public PlainPhase {
        children = List.copyOf(children);
    }

    /** A phase without others below it. */
    public static <R> Phase<R> of(PhaseInfo info, BiConsumer<R, Reporter> work) {
        return group(info, work, List.of());
    }

    /** One that some runs pass over. */
    public static <R> Phase<R> of(PhaseInfo info, Predicate<R> when, BiConsumer<R, Reporter> work) {
        return new PlainPhase<>(info, when, work, List.of());
    }

    /** A group that says nothing of its own. */
    public static <R> Phase<R> group(PhaseInfo info, List<Phase<R>> children) {
        return group(info, (run, out) -> {}, children);
    }

    /** A group of phases. */
    public static <R> Phase<R> group(
            PhaseInfo info, BiConsumer<R, Reporter> heading, List<Phase<R>> children) {
        return new PlainPhase<>(info, run -> true, heading, children);
    }

    @Override
    public boolean applies(R run) {
        return when.test(run);
    }

    @Override
    public R run(R run, Reporter out) {
        work.accept(run, out);
        return run;
    }
}
