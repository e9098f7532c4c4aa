package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.lab.HostCommand;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The quickstart as a newcomer runs it, judged by what it prints. In the sandbox, whatever else is
 * at hand, as it has to run on every machine.
 */
@Order(3)
@NeedsLab(sandbox = true)
final class QuickstartIT {
    private static final String LAB =
            "quickstart-test-" + ProcessHandle.current().pid();

    @Test
    void showsAClusterComeUpAndTwoJoinsGoWrong() {
        try {
            var run = quickstart("--sandbox").orFail();
            var lines = run.stdout().lines().toList();
            assertAll(
                    () -> saysWhatIsReal(lines),
                    () -> showsEachStepWithItsTime(lines),
                    () -> showsNodesAndMembers(run.stdout()),
                    () -> showsThatNothingWasLost(run.stdout()),
                    () -> fitsIntoAFile(run.stdout()));
        } finally {
            quickstart("down").orFail();
        }
        assertEquals(
                "",
                HostCommand.script("e2e/lab", "containers")
                        .with("KJADM_LAB", LAB)
                        .run()
                        .orFail()
                        .stdout(),
                "what is left of it");
    }

    @Test
    void refusesWhatItDoesNotKnowBeforeItDoesAnything() {
        var refused = quickstart("--sandbux");
        assertEquals(1, refused.status());
        assertTrue(
                refused.stdout().startsWith("quickstart: what is '--sandbux'?"),
                refused::everything);
        assertTrue(refused.stdout().contains("quickstart [--real|--sandbox]"), "and tells how");
        assertFalse(refused.stdout().contains("1/8"), refused::everything);
    }

    @Test
    void refusesRealComponentsThatCannotBeHad() {
        var refused = command("--real")
                .with("KJADM_KUBE_BIN", "/nonexistent")
                .with("KJADM_KUBE_VERSION", "v0.0.0")
                .run();
        assertEquals(1, refused.status());
        assertTrue(
                refused.stdout().contains("no Kubernetes binaries in /nonexistent"),
                refused::everything);
        assertFalse(refused.stdout().contains("1/8"), refused::everything);
    }

    private static HostCommand command(String... words) {
        return HostCommand.script("e2e/quickstart", words)
                .mergingErrors()
                .with("KJADM_LAB", LAB)
                .with("KJADM_DIST", Lab.distribution())
                // removed by the next run if this one dies
                .with("KJADM_LAB_OWNER", String.valueOf(ProcessHandle.current().pid()));
    }

    private static Outcome quickstart(String... words) {
        return command(words).run();
    }

    private static void saysWhatIsReal(List<String> lines) {
        for (var line : List.of(lines.getFirst(), lines.getLast())) {
            assertTrue(
                    line.startsWith("[quickstart] ")
                            && line.contains("in the sandbox")
                            && line.contains("etcd")
                            && line.contains("are real")
                            && line.contains("API server")
                            && line.endsWith("are stand-ins"),
                    line);
        }
    }

    private static void showsEachStepWithItsTime(List<String> lines) {
        IntStream.rangeClosed(1, 8)
                .mapToObj(step -> step + "/8  ")
                .forEach(step ->
                        assertTrue(lines.stream().anyMatch(line -> line.startsWith(step)), step));
        assertEquals(
                8,
                lines.stream()
                        .filter(line -> line.matches(" +done in [0-9.]+ s"))
                        .count());
        assertTrue(
                lines.stream()
                        .anyMatch(
                                line -> line.matches(
                                        "node2, node3: kjadm join --control-plane, both at the same time +[0-9.]+ s")),
                "the times are told once more at the end");
    }

    private static void showsNodesAndMembers(String output) {
        assertEquals(5, count(output, "(?m)^node[1-5] +Ready +(control-plane|<none>) "), output);
        // etcd writes an ID without leading zeros
        assertEquals(
                4,
                count(output, "(?m)^[0-9a-f]{1,16} +node[1235] +(leader|voter) +healthy "),
                output);
        assertTrue(output.contains("4 of 4 voters are healthy"), output);
    }

    private static void showsThatNothingWasLost(String output) {
        assertTrue(
                output.contains("rolled back: etcd has its three voters and no learner"), output);
        assertTrue(output.contains("kill -9; etcd has 3 voters and 1 learner now"), output);
        for (var join : List.of("A join that could not work", "A join that was killed")) {
            assertEquals(
                    1, count(output, join + ": +[1-9][0-9]* writes, 0 failed, longest gap"), join);
        }
        assertEquals(1, count(output, "all [1-9][0-9]* acknowledged writes are in etcd"));
    }

    /** No colours and nothing rewritten where no terminal is, and no secrets at all. */
    private static void fitsIntoAFile(String output) {
        assertFalse(output.contains("\033") || output.contains("\r"), "no control characters");
        assertEquals(0, count(output, "\\b[a-z0-9]{6}\\.[a-z0-9]{16}\\b"), "no bootstrap token");
        assertEquals(0, count(output, "\\b[0-9a-f]{64}\\b"), "no certificate key");
    }

    private static long count(String text, String regex) {
        return Pattern.compile(regex).matcher(text).results().count();
    }
}
