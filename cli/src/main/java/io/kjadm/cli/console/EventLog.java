package io.kjadm.cli.console;

import io.kjadm.cli.output.JsonText;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * {@code --log-format json}: one JSON object per line, with {@code time} (RFC 3339, UTC), {@code
 * level}, {@code area} and {@code message}, and what a kind of event has besides
 * ({@code docs/event.schema.json}).
 */
public final class EventLog {

    /** How much an event matters. */
    public enum Level {
        /** Shown from verbosity 1 on. */
        DEBUG,
        INFO,
        /** The run goes on. */
        WARNING,
        /** The run fails. */
        ERROR;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final PrintStream stream;
    private final InstantSource clock;

    /** Events on a stream, one line each. */
    public EventLog(PrintStream stream, InstantSource clock) {
        this.stream = stream;
        this.clock = clock;
    }

    /** Writes an event. */
    public void log(Level level, Optional<String> area, String message) {
        log(level, area, message, Map.of());
    }

    /** Writes an event with more fields, each of them a text. */
    public void log(Level level, Optional<String> area, String message, Map<String, String> more) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("time", clock.instant().truncatedTo(ChronoUnit.MILLIS).toString());
        event.put("level", level.text());
        area.ifPresent(name -> event.put("area", name));
        event.put("message", PlainText.of(message));
        more.forEach((name, text) -> event.put(name, PlainText.of(text)));
        // in one piece: several threads write
        stream.print(JsonText.compact(event) + "\n");
        stream.flush();
    }

    /** A stream each of whose lines becomes an event: for who knows nothing of events. */
    PrintStream lines() {
        return new PrintStream(new Lines(), true, StandardCharsets.UTF_8);
    }

    private final class Lines extends OutputStream {

        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int single) {
            if (single != '\n') {
                line.write(single);
                return;
            }
            String text = line.toString(StandardCharsets.UTF_8);
            line.reset();
            if (!text.isBlank()) {
                log(Level.INFO, Optional.empty(), text);
            }
        }
    }
}
