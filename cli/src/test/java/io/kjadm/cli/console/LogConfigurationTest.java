package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.VerboseLogs;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.List;

/** What libraries log, and how it is shown. */
class LogConfigurationTest {

    /** A server's words, such as the name that it gives to a request, are part of many messages. */
    @Test
    void aMessageCannotDriveTheTerminalNorCanAStackTrace() {
        try (VerboseLogs logs = VerboseLogs.at(8)) {
            LoggerFactory.getLogger("software.amazon.awssdk.request")
                    .debug(
                            "Request ID: \u001b[31mred\u0007\u009b",
                            new IllegalStateException("\u001b]0;title"));

            String text = logs.text();
            List<String> lines = text.lines().toList();
            assertTrue(lines.get(0).endsWith("Request ID: \\u001b[31mred\\u0007\\u009b"), text);
            assertEquals("java.lang.IllegalStateException: \\u001b]0;title", lines.get(1));
            assertTrue(lines.get(2).startsWith("\tat "), text);
            assertEquals(-1, text.indexOf('\u001b'));
        }
    }
}
