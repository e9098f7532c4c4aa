package io.kjadm.core.timing;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.timing.Span.Kind;

import java.util.List;

/**
 * Notes how long a phase takes, without those below it.
 *
 * @param prefix names of its parents, each with a {@code /} behind it
 * @param <R>    the run record
 */
public record TimedPhase<R>(String prefix, Phase<R> phase, Timings timings) implements Phase<R> {

    /** The same workflow, each of whose phases is noted. */
    public static <R> Workflow<R> all(Workflow<R> workflow, Timings timings) {
        return new Workflow<>(workflow.name(), timed("", workflow.phases(), timings));
    }

    private static <R> List<Phase<R>> timed(String prefix, List<Phase<R>> phases, Timings timings) {
        return phases.stream()
                .<Phase<R>>map(phase -> new TimedPhase<>(prefix, phase, timings))
                .toList();
    }

    @Override
    public PhaseInfo info() {
        return phase.info();
    }

    @Override
    public List<Phase<R>> children() {
        return timed(prefix + info().name() + "/", phase.children(), timings);
    }

    @Override
    public boolean applies(R run) {
        return phase.applies(run);
    }

    @Override
    public R run(R run, Reporter out) {
        return timings.measured(Kind.PHASE, prefix + info().name(), () -> phase.run(run, out));
    }
}
