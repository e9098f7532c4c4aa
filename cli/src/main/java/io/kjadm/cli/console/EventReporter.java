package io.kjadm.cli.console;

import io.kjadm.cli.console.EventLog.Level;
import io.kjadm.core.phase.Reporter;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Tells what happens as events. Only results are on standard output then. A phase is an event when
 * it begins; where an event has no area of its own, it has that of the phase.
 */
public final class EventReporter implements Reporter {

    private static final long WAIT_INTERVAL = Duration.ofSeconds(10).toNanos();

    private final Console console;
    private final EventLog events;
    private final int verbosity;
    private final LongSupplier nanos;
    private final Deque<String> works = new ArrayDeque<>();
    private Optional<Long> lastWait = Optional.empty();

    /** @param nanos a clock that only goes forward */
    public EventReporter(Console console, EventLog events, int verbosity, LongSupplier nanos) {
        this.console = console;
        this.events = events;
        this.verbosity = verbosity;
        this.nanos = nanos;
    }

    @Override
    public void step(String area, String sentence) {
        events.log(Level.INFO, Optional.of(area), sentence);
    }

    @Override
    public void print(String text) {
        if (console.showsResults()) {
            console.out().println(PlainText.of(text));
        } else {
            tell(Level.INFO, text);
        }
    }

    @Override
    public void credentials(String text) {
        if (console.showsResults()) {
            print(text);
        }
    }

    @Override
    public void warn(String sentence) {
        tell(Level.WARNING, sentence);
    }

    @Override
    public void finding(String line) {
        tell(Level.INFO, line);
    }

    @Override
    public void checked(String check, boolean error, String message) {
        events.log(error ? Level.ERROR : Level.WARNING, area(), message, Map.of("check", check));
    }

    @Override
    public void detail(String sentence) {
        if (verbosity >= 1) {
            tell(Level.DEBUG, sentence);
        }
    }

    @Override
    public synchronized void waiting(String area, String sentence) {
        long now = nanos.getAsLong();
        if (lastWait.isEmpty() || now - lastWait.get() >= WAIT_INTERVAL) {
            lastWait = Optional.of(now);
            events.log(Level.INFO, Optional.of(area), sentence);
        }
    }

    @Override
    public synchronized void waited() {
        lastWait = Optional.empty();
    }

    @Override
    public <T> T during(String area, String what, Supplier<T> doing) {
        events.log(Level.INFO, Optional.of(area), what);
        begin(area);
        try {
            return doing.get();
        } finally {
            end();
        }
    }

    private synchronized void begin(String area) {
        works.push(area);
    }

    private synchronized void end() {
        works.pop();
    }

    private synchronized Optional<String> area() {
        return Optional.ofNullable(works.peek());
    }

    private void tell(Level level, String message) {
        events.log(level, area(), message);
    }
}
