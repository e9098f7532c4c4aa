package io.kjadm.cli;

import io.kjadm.cli.console.Console;
import io.kjadm.cli.console.EventLog.Level;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGINT and SIGTERM into an interrupt of the working thread, and lets it clean up: a join
 * that is stopped takes its etcd member back before the program ends.
 */
final class SignalHandler {

    /**
     * Longer than a roll-back or a reset that has begun takes by its own limits: what ends it is
     * not to be this.
     */
    private static final Duration CLEAN_UP = Duration.ofMinutes(10);

    private final CountDownLatch finished = new CountDownLatch(1);

    private final Console console;

    private SignalHandler(Console console) {
        this.console = console;
    }

    /** Watches for signals while that thread works. */
    static SignalHandler watch(Thread worker, Console console) {
        SignalHandler interruption = new SignalHandler(console);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> interruption.stop(worker), "stop"));
        return interruption;
    }

    /** The work is done; the program may end. */
    void finished() {
        finished.countDown();
    }

    private void tell(String sentence) {
        if (console.events().isPresent()) {
            console.events().get().log(Level.WARNING, Optional.empty(), sentence);
            return;
        }
        // the terminal has echoed ^C, at the end of a line or into the live one
        if (!console.live().redraw()) {
            console.err().println();
        }
        console.err().println(sentence);
    }

    private void stop(Thread worker) {
        if (finished.getCount() == 0) {
            return;
        }
        tell("Interrupted: finishing or rolling back the current step before exiting");
        worker.interrupt();
        try {
            finished.await(CLEAN_UP.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
