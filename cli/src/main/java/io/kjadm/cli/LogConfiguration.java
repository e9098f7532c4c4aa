package io.kjadm.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Sets logging up in code: no file is searched for and no XML is read. Logs go to standard error;
 * only what verbosity asks for is logged.
 */
public final class LogConfiguration extends ContextAwareBase implements Configurator {

    private static volatile int verbosity;

    /** Tells how much to log; called before the first logger is used. */
    static void verbosity(int level) {
        verbosity = level;
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%.-1level%date{MMdd HH:mm:ss.SSS} %logger{0}] %message%n");
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        context.getLogger("ROOT").setLevel(level());
        context.getLogger("ROOT").addAppender(appender);
        if (verbosity < 8) {
            // says of every connection over a unix socket that keep-alive is unknown there
            context.getLogger("io.netty").setLevel(Level.ERROR);
            // a client that cannot reach a server yet is told about by the phase that waits for it
            context.getLogger("io.fabric8").setLevel(Level.ERROR);
        }
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static Level level() {
        if (verbosity >= 8) {
            return Level.DEBUG;
        }
        return verbosity >= 4 ? Level.INFO : Level.WARN;
    }
}
