package io.kjadm.e2e.cluster;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Waits for the cluster to become what a test expects, and shows the last answer when it does not.
 */
public final class Eventually {
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private Eventually() {}

    /**
     * Repeats {@code assertion} until it passes, and rethrows its last failure when {@code limit}
     * is over.
     */
    public static void passes(Duration limit, Runnable assertion) {
        get(limit, () -> {
            assertion.run();
            return null;
        });
    }

    /** As {@link #passes}, with an answer. */
    public static <T> T get(Duration limit, Supplier<T> question) {
        var deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            try {
                return question.get();
            } catch (AssertionError | RuntimeException e) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(
                            "not within %s: %s".formatted(limit, e.getMessage()), e);
                }
            }
            try {
                Thread.sleep(INTERVAL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for the cluster", e);
            }
        }
    }
}
