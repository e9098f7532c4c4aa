package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

class FailuresTest {

    private static String printed(Throwable failure) {
        return printed(failure, 0);
    }

    private static String printed(Throwable failure, int verbosity) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        new Failures(new Console(stream, stream, false)).print(failure, verbosity);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void lackOfMemoryIsSaidInWordsWithWhatToDo() {
        String text = printed(new IllegalStateException(new OutOfMemoryError("Java heap space")));
        assertEquals("""
                error: the program needs more memory than it may have: what it read or was to write is too large
                Next: if the input is correct, set KJADM_JAVA_OPTS=-Xmx1g and run the command again
                To see the stack trace of this error execute with --v=5 or higher
                """, text);
    }

    @Test
    void whatAServerSaysDoesNotDriveTheTerminal() {
        String text = printed(new ClusterException(
                "refused", "\033[2J\u009b1mgone\r\u0007", "line 1\n\tline 2 \u00e9"));
        assertEquals(
                "error: refused: \\u001b[2J\\u009b1mgone\\u000d\\u0007\n"
                        + "Next: line 1\n\tline 2 \u00e9\n",
                text.substring(0, text.indexOf("To see")));
    }

    @Test
    void norDoesAStackTrace() {
        String text = printed(new ClusterException("refused", "\033[2J", ""), 5);

        assertLinesMatch(
                List.of(
                        "error: refused: \\\\u001b\\[2J",
                        "io.kjadm.core.error.ClusterException: refused: \\\\u001b\\[2J",
                        "\tat " + FailuresTest.class.getName() + ".*",
                        ">> rest of the stack trace >>"),
                text.lines().toList());
        assertEquals(Set.of(), Named.controlCharacters(text));
    }
}
