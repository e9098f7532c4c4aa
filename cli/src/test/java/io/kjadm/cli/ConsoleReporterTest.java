package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What waiting looks like on a terminal and in a pipe. */
final class ConsoleReporterTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private ConsoleReporter reporter(boolean terminal) {
        PrintStream stream = new PrintStream(written, true, StandardCharsets.UTF_8);
        return new ConsoleReporter(new Console(stream, stream, terminal), 0);
    }

    private String written() {
        return written.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    @Test
    void liveLineIsCutAtTheEdgeOfTheTerminalAndErased() {
        ConsoleReporter reporter = reporter(true);
        reporter.waiting("etcd", "waiting (1s of 4m0s)");
        reporter.waiting("etcd", "waiting (2s of 4m0s)");
        reporter.step("etcd", "votes");
        assertEquals("\r\033[K\033[?7l[etcd] waiting (1s of 4m0s)\033[?7h"
                + "\r\033[K\033[?7l[etcd] waiting (2s of 4m0s)\033[?7h"
                + "\r\033[K[etcd] votes\n", written());
    }

    @Test
    void liveLineStaysOneLineWhateverAnErrorLooksLike() {
        reporter(true).waiting("etcd", "refused:\n  no such member\r\n  at all");
        assertEquals("\r\033[K\033[?7l[etcd] refused: no such member at all\033[?7h",
                written());
    }

    @Test
    void shortWaitIsNotToldInAPipe() {
        ConsoleReporter reporter = reporter(false);
        reporter.waiting("etcd", "waiting (1s of 4m0s)");
        reporter.step("etcd", "votes");
        assertEquals("[etcd] votes\n", written());
    }
}
