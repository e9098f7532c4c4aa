package io.kjadm.core.timing;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.timing.Span.Kind;

import java.util.List;
import java.util.function.Consumer;

/**
 * Notes how long a phase takes, without those below it, and what is known after it.
 *
 * @param prefix names of its parents, each with a {@code /} behind it
 * @param known  gets the run record that the phase returns
 * @param <R>    the run record
 */
public record TimedPhase<R>(String prefix, Phase<R> phase, Timings timings, Consumer<R> known)
        implements Phase<R> {

    /** The same workflow, each of whose phases is noted. */
    public static <R> Workflow<R> all(Workflow<R> workflow, Timings timings, Consumer<R> known) {
        return new Workflow<>(workflow.name(), timed("", workflow.phases(), timings, known));
    }

    private static <R> List<Phase<R>> timed(
            String prefix, List<Phase<R>> phases, Timings timings, Consumer<R> known) {
        return phases.stream()
                .<Phase<R>>map(phase -> new TimedPhase<>(prefix, phase, timings, known))
                .toList();
    }

    @Override
    public PhaseInfo info() {
        return phase.info();
    }

    @Override
    public List<Phase<R>> children() {
        return timed(prefix + info().name() + "/", phase.children(), timings, known);
    }

    @Override
    public boolean applies(R run) {
        return phase.applies(run);
    }

    @Override
    public R run(R run, Reporter out) {
        R done = timings.measured(Kind.PHASE, prefix + info().name(), () -> phase.run(run, out));
        known.accept(done);
        return done;
    }
}
