package io.kjadm.cli;

import io.kjadm.core.phase.Reporter;
import java.time.Duration;

/**
 * Tells the operator on a {@link Console}. On a terminal a wait is one line that changes; in a pipe
 * it is a plain line every ten seconds.
 */
final class ConsoleReporter implements Reporter {

    private static final long PIPE_INTERVAL = Duration.ofSeconds(10).toNanos();
    private static final String ERASE_LINE = "\r\033[K";
    // What does not fit is cut: of a line that went on in the next one, only the end is erased.
    private static final String NO_WRAPPING = "\033[?7l";
    private static final String WRAPPING = "\033[?7h";

    private final Console console;
    private final int verbosity;
    private boolean liveLine;
    private long lastPipeLine = System.nanoTime();

    ConsoleReporter(Console console, int verbosity) {
        this.console = console;
        this.verbosity = verbosity;
    }

    @Override
    public synchronized void step(String area, String sentence) {
        endLiveLine();
        console.out().println(PlainText.of("[" + area + "] " + sentence));
    }

    @Override
    public synchronized void print(String text) {
        endLiveLine();
        console.out().println(PlainText.of(text));
    }

    @Override
    public synchronized void warn(String sentence) {
        endLiveLine();
        console.err().println(PlainText.of("W " + sentence));
    }

    @Override
    public synchronized void detail(String sentence) {
        if (verbosity >= 1) {
            endLiveLine();
            console.err().println(PlainText.of("I " + sentence));
        }
    }

    @Override
    public synchronized void waiting(String area, String sentence) {
        if (console.terminal()) {
            // in one piece, so that a program that is killed leaves no terminal that does not wrap
            console.err().print(ERASE_LINE + NO_WRAPPING + "[" + area + "] "
                    + PlainText.of(sentence.replaceAll("\\s*\\R\\s*", " ")) + WRAPPING);
            console.err().flush();
            liveLine = true;
        } else if (System.nanoTime() - lastPipeLine >= PIPE_INTERVAL) {
            console.err().println(PlainText.of("[" + area + "] " + sentence));
            lastPipeLine = System.nanoTime();
        }
    }

    @Override
    public synchronized void waited() {
        endLiveLine();
        lastPipeLine = System.nanoTime();
    }

    private void endLiveLine() {
        if (liveLine) {
            console.err().print(ERASE_LINE);
            console.err().flush();
            liveLine = false;
        }
    }
}
