package io.kjadm.core.phase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/**
 * The rules of the phase engine, on a run record that is the list of
 * what ran.
 */
class WorkflowTest {

    private record Noting(PhaseInfo info, boolean applies, List<Phase<List<String>>> children)
            implements Phase<List<String>> {

        @Override
        public boolean applies(List<String> run) {
            return applies;
        }

        @Override
        public List<String> run(List<String> run, Reporter out) {
            if (info.name().equals("broken")) {
                throw new HostException("it broke", "", "");
            }
            List<String> more = new ArrayList<>(run);
            more.add(info.name());
            return more;
        }
    }

    private static Phase<List<String>> phase(String name) {
        return new Noting(PhaseInfo.of(name, name), true, List.of());
    }

    private final Workflow<List<String>> workflow = new Workflow<>(
            "test",
            List.of(
                    phase("preflight"),
                    new Noting(
                            PhaseInfo.of("certs", "certs"),
                            true,
                            List.of(phase("ca"), phase("apiserver"))),
                    new Noting(PhaseInfo.of("idle", "idle"), false, List.of()),
                    new Noting(PhaseInfo.of("secret", "secret").asHidden(), true, List.of()),
                    new Noting(PhaseInfo.of("show", "show").after("certs/ca"), true, List.of())));

    private List<String> run(Selection selection) {
        return workflow.run(List.of(), selection, new RecordingReporter());
    }

    @Test
    void parentsRunBeforeTheirChildrenAndWhatDoesNotApplyIsPassedOver() {
        assertEquals(
                List.of("preflight", "certs", "ca", "apiserver", "secret", "show"),
                run(Selection.allBut(List.of())));
    }

    @Test
    void thePhaseThatRunsIsToldByItsFullName() {
        RecordingReporter out = new RecordingReporter();
        workflow.run(List.of(), Selection.only("certs"), out);
        assertEquals(
                List.of("[certs] certs", "[certs/ca] ca", "[certs/apiserver] apiserver"),
                out.works());
    }

    @Test
    void whatIsBelowASkippedPhaseIsSkippedToo() {
        assertEquals(
                List.of("preflight", "secret"), run(Selection.allBut(List.of("certs", "show"))));
        assertEquals(
                List.of("preflight", "certs", "ca", "secret", "show"),
                run(Selection.allBut(List.of("certs/apiserver"))));
    }

    @Test
    void aHiddenPhaseCanBeSkipped() {
        assertEquals(
                List.of("preflight", "certs", "ca", "apiserver", "show"),
                run(Selection.allBut(List.of("secret"))));
    }

    @Test
    void whichPhaseWasMeantIsGuessed() {
        UsageException slip = assertThrows(
                UsageException.class, () -> run(Selection.allBut(List.of("certs/apisevrer"))));
        assertTrue(slip.why().endsWith("; did you mean certs/apiserver?"), slip.why());
        UsageException other =
                assertThrows(UsageException.class, () -> run(Selection.allBut(List.of("nothing"))));
        assertEquals("test has no such phase to skip", other.why());
    }

    @Test
    void skippingAllOfAGroupIsAcceptedAndSkipsNothing() {
        assertEquals(run(Selection.allBut(List.of())), run(Selection.allBut(List.of("certs/all"))));
    }

    @Test
    void unknownNamesAreRefusedBeforeAnythingRuns() {
        for (String name : List.of("Certs", "ca", "nothing/all", "certs/")) {
            UsageException refused = assertThrows(
                    UsageException.class, () -> run(Selection.allBut(List.of(name))), name);
            assertEquals(
                    "use one of: preflight, certs, certs/ca, certs/apiserver, idle, secret, show",
                    refused.next());
        }
    }

    @Test
    void onePhaseRunsAloneWithoutItsParent() {
        assertEquals(List.of("apiserver"), run(Selection.only("certs/apiserver")));
        assertEquals(List.of("certs", "ca", "apiserver"), run(Selection.only("certs")));
    }

    @Test
    void aPhaseNeedsThoseItIsMadeFrom() {
        UsageException refused =
                assertThrows(UsageException.class, () -> run(Selection.allBut(List.of("certs"))));
        assertEquals("phase show cannot run without phase certs/ca", refused.what());
        assertThrows(UsageException.class, () -> run(Selection.only("show")));
    }

    @Test
    void aFailureNamesThePhaseInFull() {
        Workflow<List<String>> failing = new Workflow<>(
                "test",
                List.of(
                        new Noting(PhaseInfo.of("group", "group"), true, List.of(phase("broken"))),
                        phase("never")));
        PhaseFailure failure = assertThrows(
                PhaseFailure.class,
                () -> failing.run(List.of(), Selection.allBut(List.of()), new RecordingReporter()));
        assertEquals("group/broken", failure.phase());
        assertEquals("error execution phase group/broken: it broke", failure.getMessage());
    }
}
