package io.kjadm.cli.console;

import io.kjadm.core.phase.Reporter;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Tells the operator on a {@link Console}. What goes on without a word for two seconds is shown to
 * go on: on a terminal by one line that changes, in a pipe by a plain line every ten seconds.
 */
public final class ConsoleReporter implements Reporter {

    private static final long PIPE_INTERVAL = Duration.ofSeconds(10).toNanos();
    private static final long SILENCE = Duration.ofSeconds(2).toNanos();
    private static final long TICK_MILLIS = 1000;

    /** What is told of something that takes time, and since when it is so. */
    private record Ongoing(String line, long since) {

        /** The same with its age, which is seen to grow. */
        String aged(long now) {
            return "%s … %ds".formatted(line, Duration.ofNanos(now - since).toSeconds());
        }
    }

    private final Console console;
    private final int verbosity;
    private final LongSupplier nanos;
    private Ongoing work;
    private Ongoing awaited;
    private long lastWord;
    private Thread ticker;

    public ConsoleReporter(Console console, int verbosity) {
        this(console, verbosity, System::nanoTime);
    }

    /** @param nanos a clock that only goes forward */
    public ConsoleReporter(Console console, int verbosity, LongSupplier nanos) {
        this.console = console;
        this.verbosity = verbosity;
        this.nanos = nanos;
        this.lastWord = nanos.getAsLong();
    }

    @Override
    public synchronized void step(String area, String sentence) {
        said();
        console.steps().println(PlainText.of("[" + area + "] " + sentence));
    }

    @Override
    public synchronized void print(String text) {
        said();
        console.out().println(PlainText.of(text));
    }

    @Override
    public void credentials(String text) {
        if (console.showsResults()) {
            print(text);
        }
    }

    @Override
    public synchronized void warn(String sentence) {
        said();
        console.err().println(PlainText.of("W " + sentence));
    }

    @Override
    public synchronized void finding(String line) {
        said();
        console.err().println(PlainText.of(line));
    }

    @Override
    public synchronized void detail(String sentence) {
        if (verbosity >= 1) {
            said();
            console.err().println(PlainText.of("I " + sentence));
        }
    }

    @Override
    public synchronized void waiting(String area, String sentence) {
        awaited = new Ongoing("[" + area + "] " + sentence, nanos.getAsLong());
        show(awaited.line(), awaited.since());
    }

    @Override
    public synchronized void waited() {
        awaited = null;
        console.live().end();
        lastWord = nanos.getAsLong();
    }

    @Override
    public <T> T during(String area, String what, Supplier<T> doing) {
        Ongoing around = begin(new Ongoing("[" + area + "] " + what, nanos.getAsLong()));
        try {
            return doing.get();
        } finally {
            end(around);
        }
    }

    private synchronized Ongoing begin(Ongoing begun) {
        Ongoing around = work;
        work = begun;
        if (ticker == null) {
            ticker = Thread.ofPlatform().daemon().name("live-line").start(this::tickOn);
        }
        return around;
    }

    private synchronized void end(Ongoing around) {
        work = around;
        if (awaited == null) {
            console.live().end();
        }
    }

    /** One thread for all phases of a run: it ends when a second has passed after the last. */
    private synchronized void tickOn() {
        try {
            while (work != null) {
                tick();
                wait(TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            // nobody interrupts it; who does wants it to end
        } finally {
            ticker = null;
        }
    }

    /** Shows that what goes on does so, if nobody said anything for a while. */
    synchronized void tick() {
        long now = nanos.getAsLong();
        if (awaited != null) {
            // the question takes its time: only the answer tells of it again
            if (now - awaited.since() >= SILENCE) {
                show(awaited.aged(now), now);
            }
        } else if (work != null && now - Math.max(lastWord, work.since()) >= SILENCE) {
            show(work.aged(now), now);
        }
    }

    private void show(String line, long now) {
        if (console.live().capable()) {
            console.live().show(line);
        } else if (now - lastWord >= PIPE_INTERVAL) {
            console.err().println(PlainText.of(line));
            lastWord = now;
        }
    }

    /** A wait stays where it is, below what is said meanwhile; other work begins a new silence. */
    private void said() {
        lastWord = nanos.getAsLong();
        if (awaited == null) {
            console.live().end();
        }
    }
}
