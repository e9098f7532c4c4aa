package io.kjadm.cli;

import ch.qos.logback.classic.LoggerContext;

import io.kjadm.cli.console.LogConfiguration;

import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What is logged while it is open, as with that verbosity on the command line. */
public final class VerboseLogs implements AutoCloseable {

    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private VerboseLogs(int verbosity) {
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        configure(verbosity);
    }

    /** Begins to listen. */
    public static VerboseLogs at(int verbosity) {
        return new VerboseLogs(verbosity);
    }

    private void configure(int verbosity) {
        context.reset();
        LogConfiguration.logging(verbosity, Optional.empty());
        new LogConfiguration().configure(context);
    }

    /** All that was logged. */
    public String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
        configure(0);
    }
}
