package io.kjadm.cli.console;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

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
        assertTrue(text.startsWith("error: the program needs more memory than it may have"), text);
        assertHasLine(
                "Next: if the input is correct, set KJADM_JAVA_OPTS=-Xmx1g and run the command again",
                text);
        assertFalse(text.contains("OutOfMemoryError"), text);
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

        assertTrue(text.contains(FailuresTest.class.getName()), text);
        assertFalse(text.contains("\033"), text);
    }
}
