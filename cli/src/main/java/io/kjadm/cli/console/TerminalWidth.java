package io.kjadm.cli.console;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * How many columns a terminal has. It is asked anew, as windows change, but not more than once a
 * second: the JDK does not know it, and a program is started to ask.
 */
final class TerminalWidth implements IntSupplier {

    /** Nobody can tell. */
    static final int UNKNOWN = 0;

    private static final long KEPT = Duration.ofSeconds(1).toNanos();
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final IntSupplier terminal;
    private final LongSupplier nanos;
    private boolean answered;
    private long askedAt;
    private int answer;

    /** @param nanos a clock that only goes forward */
    TerminalWidth(IntSupplier terminal, LongSupplier nanos) {
        this.terminal = terminal;
        this.nanos = nanos;
    }

    /** Of the terminal that is open under that number. */
    static TerminalWidth ofDescriptor(int descriptor) {
        return new TerminalWidth(
                () -> ask(new File("/proc/self/fd/" + descriptor)), System::nanoTime);
    }

    @Override
    public synchronized int getAsInt() {
        if (!answered || nanos.getAsLong() - askedAt >= KEPT) {
            int columns = terminal.getAsInt();
            // a thread that is interrupted gets no answer; the former is the best guess
            answer = columns == UNKNOWN ? answer : columns;
            askedAt = nanos.getAsLong();
            answered = true;
        }
        return answer;
    }

    /** The number that {@code COLUMNS} exports, or else what the terminal says. */
    static int exportedOr(String columns, IntSupplier terminal) {
        int exported = number(columns == null ? "" : columns);
        return exported == UNKNOWN ? terminal.getAsInt() : exported;
    }

    private static int ask(File device) {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(device)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!stty.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                stty.destroyForcibly();
                return UNKNOWN;
            }
            return ofSize(
                    new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }

    /** @param size rows and columns */
    static int ofSize(String size) {
        String[] words = size.strip().split(" ");
        return words.length == 2 ? number(words[1]) : UNKNOWN;
    }

    private static int number(String text) {
        return text.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(text) : UNKNOWN;
    }
}
