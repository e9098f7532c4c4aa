package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.VirtualTerminal;
import io.kjadm.core.error.HostException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** What work and waiting look like on a terminal and in a pipe, by a clock that is set by hand. */
final class ConsoleReporterTest {

    private final AtomicLong nanos = new AtomicLong();
    private final VirtualTerminal terminal = new VirtualTerminal(60);
    private final ByteArrayOutputStream pipe = new ByteArrayOutputStream();
    private final ConsoleReporter shown = reporter(terminal, true);
    private final ConsoleReporter piped = reporter(pipe, false);

    private ConsoleReporter reporter(OutputStream stream, boolean isTerminal) {
        return new ConsoleReporter(new Console(stream, stream, isTerminal), 1, nanos::get);
    }

    @AfterEach
    void terminalWrapsAgain() {
        assertTrue(terminal.wraps());
    }

    private void pass(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
        shown.tick();
        piped.tick();
    }

    private String piped() {
        return pipe.toString(StandardCharsets.UTF_8);
    }

    // ---- waiting

    @Test
    void liveLineIsReplacedAndErased() {
        shown.waiting("etcd", "waiting (1s of 4m0s)");
        shown.waiting("etcd", "waiting (2s of 4m0s)");
        assertEquals("[etcd] waiting (2s of 4m0s)", terminal.screen());
        shown.waited();
        shown.step("etcd", "votes");
        assertEquals("[etcd] votes", terminal.screen());
        assertTrue(terminal.onAFreshLine());
    }

    @Test
    void whatIsSaidDuringAWaitStandsAboveIt() {
        shown.waiting("etcd", "waiting (1s of 4m0s)");
        shown.step("etcd", "added");
        shown.warn("slow");
        shown.detail("asked twice");
        shown.print("words");
        assertEquals("""
                [etcd] added
                W slow
                I asked twice
                words
                [etcd] waiting (1s of 4m0s)""", terminal.screen());
    }

    @Test
    void liveLineStaysOneLineWhateverAnErrorLooksLike() {
        shown.waiting("etcd", "refused:\n  no such member\r\n  at all");
        assertEquals("[etcd] refused: no such member at all", terminal.screen());
    }

    @Test
    void shortWaitIsNotToldInAPipe() {
        piped.waiting("etcd", "waiting (1s of 4m0s)");
        piped.step("etcd", "votes");
        assertEquals("[etcd] votes\n", piped());
    }

    @Test
    void longWaitIsToldInAPipeEveryTenSeconds() {
        for (int second = 1; second <= 25; second++) {
            pass(1);
            piped.waiting("etcd", "waiting (%ds of 4m0s)".formatted(second));
        }
        assertEquals("[etcd] waiting (10s of 4m0s)\n[etcd] waiting (20s of 4m0s)\n", piped());
    }

    @Test
    void aQuestionThatTakesItsTimeIsSeenToDoSo() {
        shown.during("etcd-join", "Join", () -> {
            shown.waiting("etcd", "waiting (1s of 4m0s)");
            pass(1);
            assertEquals("[etcd] waiting (1s of 4m0s)", terminal.screen());
            pass(1);
            assertEquals("[etcd] waiting (1s of 4m0s) … 2s", terminal.screen());
            pass(1);
            assertEquals("[etcd] waiting (1s of 4m0s) … 3s", terminal.screen());
            shown.waiting("etcd", "waiting (5s of 4m0s)");
            assertEquals("[etcd] waiting (5s of 4m0s)", terminal.screen());
            return true;
        });
    }

    // ---- work

    @Test
    void workIsShownAfterTwoSecondsOfSilenceAndGoesWithItsEnd() {
        shown.during("certs/ca", "Generate the CA", () -> {
            pass(1);
            assertEquals("", terminal.screen());
            pass(1);
            assertEquals("[certs/ca] Generate the CA … 2s", terminal.screen());
            pass(1);
            assertEquals("[certs/ca] Generate the CA … 3s", terminal.screen());
            return true;
        });
        assertEquals("", terminal.screen());
        assertTrue(terminal.onAFreshLine());
        pass(5);
        assertEquals("", terminal.screen());
    }

    @Test
    void aWordBeginsANewSilence() {
        shown.during("preflight", "Run checks", () -> {
            pass(2);
            shown.step("preflight", "Pulling images");
            assertEquals("[preflight] Pulling images", terminal.screen());
            pass(1);
            assertEquals("[preflight] Pulling images", terminal.screen());
            pass(1);
            assertEquals(
                    "[preflight] Pulling images\n[preflight] Run checks … 4s", terminal.screen());
            return true;
        });
    }

    @Test
    void aWaitTakesThePlaceOfTheWorkAndGivesItBack() {
        shown.during("kubelet-start", "Start", () -> {
            pass(2);
            shown.waiting("kubelet", "waiting (1s of 4m0s)");
            assertEquals("[kubelet] waiting (1s of 4m0s)", terminal.screen());
            shown.waited();
            pass(1);
            assertEquals("", terminal.screen());
            pass(1);
            assertEquals("[kubelet-start] Start … 4s", terminal.screen());
            return true;
        });
    }

    @Test
    void workWithinWorkIsShownInItsPlace() {
        shown.during("init", "Initialise", () -> {
            shown.during("certs", "Generate", () -> {
                pass(2);
                assertEquals("[certs] Generate … 2s", terminal.screen());
                return true;
            });
            pass(1);
            assertEquals("[init] Initialise … 3s", terminal.screen());
            return true;
        });
    }

    @Test
    void inAPipeWorkIsToldEveryTenSecondsOfSilence() {
        piped.during("certs/ca", "Generate the CA", () -> {
            for (int second = 1; second <= 25; second++) {
                pass(1);
                if (second == 12) {
                    piped.step("certs", "a word");
                }
            }
            return true;
        });
        assertEquals("""
                [certs/ca] Generate the CA … 10s
                [certs] a word
                [certs/ca] Generate the CA … 22s
                """, piped());
    }

    @Test
    void workThatFailsLeavesNothingOnTheScreen() {
        assertThrows(
                HostException.class,
                () -> shown.during("certs", "Generate", () -> {
                    pass(3);
                    throw new HostException("it broke", "", "");
                }));
        assertEquals("", terminal.screen());
        assertTrue(terminal.onAFreshLine());
    }

    @Test
    void whoPrintsOnlyResultsShowsStepsAndWorkElsewhere() {
        Console console = new Console(pipe, terminal, true).withResultsAlone();
        ConsoleReporter alone = new ConsoleReporter(console, 1, nanos::get);
        alone.step("certs", "Generated");
        alone.print("kind: Pod");
        alone.during("certs", "Generate", () -> {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            alone.tick();
            assertEquals("[certs] Generated\n[certs] Generate … 2s", terminal.screen());
            return true;
        });
        assertEquals("kind: Pod\n", pipe.toString(StandardCharsets.UTF_8));
    }

    // ---- the thread that ticks

    @Test
    void somebodyTicksWhileWorkGoesOnAndNobodyAfterIt() {
        nanos.set(Duration.ofSeconds(9).toNanos());
        shown.during("certs", "Generate", () -> {
            nanos.addAndGet(Duration.ofSeconds(4).toNanos());
            awaitTrue(() -> terminal.screen().equals("[certs] Generate … 4s"));
            return true;
        });
        awaitTrue(() -> tickers() == 0);
    }

    private static void awaitTrue(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "it does not come");
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static long tickers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("live-line"))
                .count();
    }
}
