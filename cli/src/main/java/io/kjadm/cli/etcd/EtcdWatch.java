package io.kjadm.cli.etcd;

import io.kjadm.cli.console.Console;
import io.kjadm.core.error.KjadmException;

import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Shows something again and again until the program is told to stop: a terminal's screen is drawn
 * anew, in a pipe one block follows the other.
 *
 * @param separator stands between two blocks in a pipe
 * @param pause     lets time pass, and fails if the program is told to stop
 */
record EtcdWatch(Console console, String separator, BiConsumer<String, Duration> pause) {

    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final String CLEAR = "\033[H\033[2J";
    private static final String HOME = "\033[H";
    private static final String ERASE_REST_OF_LINE = "\033[K";
    private static final String ERASE_BELOW = "\033[J";

    /**
     * Returns when the thread is interrupted; what cannot be shown for a moment is told and asked
     * for again.
     */
    void show(Supplier<String> text) {
        for (boolean first = true; !Thread.currentThread().isInterrupted(); first = false) {
            try {
                draw(block(text), first);
                pause.accept("the next refresh; Ctrl-C ends this", INTERVAL);
            } catch (KjadmException e) {
                if (!Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            }
        }
    }

    private String block(Supplier<String> text) {
        try {
            return text.get();
        } catch (KjadmException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            console.err().println("error: %s: %s".formatted(e.what(), e.why()));
            return "";
        }
    }

    private void draw(String block, boolean first) {
        if (block.isEmpty()) {
            return;
        }
        if (console.terminal().out()) {
            console.out()
                    .print((first ? CLEAR : HOME)
                            + block.replace("\n", ERASE_REST_OF_LINE + "\n")
                            + ERASE_BELOW);
        } else {
            console.out().print((first ? "" : separator) + block);
        }
        console.out().flush();
    }
}
