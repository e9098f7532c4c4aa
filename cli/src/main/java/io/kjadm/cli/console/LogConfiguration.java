package io.kjadm.cli.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
    private static volatile Optional<EventLog> events = Optional.empty();

    /**
     * Says how much to log, and where to if not as text to standard error; called before the first
     * logger is used.
     */
    public static void logging(int level, Optional<EventLog> log) {
        verbosity = level;
        events = log;
    }

    private static Appender<ILoggingEvent> text(LoggerContext context) {
        PatternLayoutEncoder encoder = new PlainEncoder();
        encoder.setContext(context);
        encoder.setPattern("%.-1level%date{MMdd HH:mm:ss.SSS} %logger{0}] %message%n");
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        return appender;
    }

    /** Messages of libraries and their stack traces repeat what servers say. */
    private static final class PlainEncoder extends PatternLayoutEncoder {

        @Override
        public byte[] encode(ILoggingEvent event) {
            return PlainText.of(getLayout().doLayout(event)).getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Each message of a library is an event. */
    private static final class EventAppender extends AppenderBase<ILoggingEvent> {

        private final EventLog log;

        EventAppender(EventLog log) {
            this.log = log;
        }

        @Override
        protected void append(ILoggingEvent event) {
            Map<String, String> more = new LinkedHashMap<>();
            more.put("logger", event.getLoggerName());
            if (event.getThrowableProxy() != null) {
                more.put("stackTrace", ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
            log.log(level(event.getLevel()), Optional.empty(), event.getFormattedMessage(), more);
        }

        private static EventLog.Level level(Level level) {
            return switch (level.toInt()) {
                case Level.ERROR_INT -> EventLog.Level.ERROR;
                case Level.WARN_INT -> EventLog.Level.WARNING;
                case Level.INFO_INT -> EventLog.Level.INFO;
                default -> EventLog.Level.DEBUG;
            };
        }
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Appender<ILoggingEvent> appender = events.<Appender<ILoggingEvent>>map(EventAppender::new)
                .orElseGet(() -> text(context));
        appender.setContext(context);
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
