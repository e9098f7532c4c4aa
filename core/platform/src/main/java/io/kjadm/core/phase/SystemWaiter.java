package io.kjadm.core.phase;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.CommonReason;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/** Waits by the system's clock and shows what is awaited, for how long, and the limit. */
public final class SystemWaiter implements Waiter {

    /** A wait shorter than this is not worth a word. */
    private static final Duration UNTOLD = Duration.ofSeconds(1);

    private final InstantSource clock;
    private final Reporter out;

    public SystemWaiter(InstantSource clock, Reporter out) {
        this.clock = clock;
        this.out = out;
    }

    @Override
    public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
        long start = System.nanoTime();
        String last = "nothing yet";
        boolean shown = false;
        try {
            while (true) {
                Attempt<T> answer = question.get();
                if (answer instanceof Attempt.Done<T>(T value)) {
                    return Optional.of(value);
                }
                Attempt.NotYet<T> notYet = (Attempt.NotYet<T>) answer;
                last = notYet.answer();
                Duration waited = Duration.ofNanos(System.nanoTime() - start);
                if (waited.compareTo(await.limit()) >= 0) {
                    throw expired(await, last);
                }
                if (waited.compareTo(UNTOLD) >= 0) {
                    shown = true;
                    out.waiting(
                            await.area(),
                            "waiting for %s (%s): %s"
                                    .formatted(await.what(), progress(waited, await), last));
                }
                sleep(await.what(), longer(await.interval(), notYet.atLeast()));
            }
        } finally {
            // a question may wait for something itself, and must not end the line of the wait
            // around it
            if (shown) {
                out.waited();
            }
        }
    }

    @Override
    public void pause(String area, String reason, Duration duration) {
        boolean worthAWord = duration.compareTo(UNTOLD) >= 0;
        if (worthAWord) {
            out.waiting(area, "waiting %s: %s".formatted(text(duration), reason));
        }
        sleep(reason, duration);
        if (worthAWord) {
            out.waited();
        }
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    /** A limit that is over while things are getting on says nothing any more. */
    private static String progress(Duration waited, Await await) {
        return waited.compareTo(await.told()) < 0
                ? text(waited) + " of " + text(await.told())
                : text(waited);
    }

    private static ClusterException expired(Await await, String last) {
        return new ClusterException(
                CommonReason.TIMED_OUT,
                "gave up waiting for %s after %s".formatted(await.what(), text(await.limit())),
                "the last answer was: " + last,
                await.next());
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private static void sleep(String what, Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException(
                    "interrupted while waiting for " + what,
                    "the program was asked to stop",
                    "run the command again",
                    e);
        }
    }

    /** {@code 4m0s}, {@code 12s}: whole seconds as Go writes them. */
    static String text(Duration duration) {
        long seconds = duration.toSeconds();
        return seconds >= 60 ? "%dm%ds".formatted(seconds / 60, seconds % 60) : seconds + "s";
    }
}
