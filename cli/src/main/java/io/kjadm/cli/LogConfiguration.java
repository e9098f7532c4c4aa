package io.kjadm.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

import java.util.List;

/**
 * Sets logging up in code: no file is searched for and no XML is read. Logs go to standard error;
 * only what verbosity asks for is logged.
 *
 * <p>No verbosity logs secrets. Libraries log frames of connections, requests as they are signed
 * and messages as they are parsed at DEBUG; so DEBUG is for this program and for the few loggers of
 * libraries that are known to name what is done and never its content.
 */
public final class LogConfiguration extends ContextAwareBase implements Configurator {

    private static final int DEBUG_VERBOSITY = 8;

    /** Without content at DEBUG: URLs, statuses, names of headers, handshakes. */
    private static final List<String> WITHOUT_CONTENT = List.of(
            "io.kjadm",
            "io.fabric8.kubernetes.client",
            "io.netty.handler.ssl",
            "io.netty.resolver",
            "software.amazon.awssdk.request",
            "software.amazon.awssdk.requestId");

    /** Below one of those, and logs headers and bodies. */
    private static final String FABRIC8_REQUESTS =
            "io.fabric8.kubernetes.client.http.HttpLoggingInterceptor";

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
        context.getLogger("ROOT").setLevel(verbosity >= 4 ? Level.INFO : Level.WARN);
        context.getLogger("ROOT").addAppender(appender);
        if (verbosity >= DEBUG_VERBOSITY) {
            WITHOUT_CONTENT.forEach(name -> context.getLogger(name).setLevel(Level.DEBUG));
            context.getLogger(FABRIC8_REQUESTS).setLevel(Level.INFO);
        } else {
            // says of every connection over a unix socket that keep-alive is unknown there
            context.getLogger("io.netty").setLevel(Level.ERROR);
            // a client that cannot reach a server yet is told about by the phase that waits for it
            context.getLogger("io.fabric8").setLevel(Level.ERROR);
        }
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
