package io.kjadm.core.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.timing.Span.Kind;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

class TimedPhaseTest {

    private record Step(PhaseInfo info, boolean applies, List<Phase<Integer>> children)
            implements Phase<Integer> {

        @Override
        public boolean applies(Integer run) {
            return applies;
        }

        @Override
        public Integer run(Integer run, Reporter out) {
            return run + 1;
        }
    }

    private static Phase<Integer> step(String name, boolean applies, List<Phase<Integer>> below) {
        return new Step(PhaseInfo.of(name, name), applies, below);
    }

    private final List<Integer> known = new ArrayList<>();
    private final Timings timings = Timings.begun(new Seconds(), Duration.ZERO);
    private final Workflow<Integer> timed = TimedPhase.all(
            new Workflow<>(
                    "test",
                    List.of(
                            step("preflight", true, List.of()),
                            step(
                                    "certs",
                                    true,
                                    List.of(
                                            step("ca", true, List.of()),
                                            step("etcd-ca", false, List.of()))))),
            timings,
            known::add);

    private List<String> noted(String... skipped) {
        timed.run(0, Selection.allBut(List.of(skipped)), new RecordingReporter());
        return timings.spans().stream()
                .filter(span -> span.kind() == Kind.PHASE)
                .map(Span::name)
                .toList();
    }

    @Test
    void eachPhaseThatRunsIsNotedByItsFullName() {
        assertEquals(List.of("preflight", "certs", "certs/ca"), noted());
        assertEquals(List.of(1, 2, 3), known);
    }

    @Test
    void whatIsSkippedIsNotNoted() {
        assertEquals(List.of("certs", "certs/ca"), noted("preflight"));
    }

    @Test
    void itIsTheSameWorkflow() {
        assertEquals(3, timed.run(0, Selection.allBut(List.of()), new RecordingReporter()));
        assertEquals("test", timed.name());
        Phase<Integer> certs = timed.phases().get(1);
        assertEquals("certs", certs.info().name());
        assertTrue(certs.applies(0));
        assertFalse(certs.children().get(1).applies(0));
    }
}
