package io.kjadm.core.phase;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.CommonReason;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Waits without waiting: time passes only here, and what the test wants to happen happens with it.
 */
public final class VirtualWaiter implements Waiter {

    private final List<Runnable> happenings = new ArrayList<>();
    private final List<String> awaited = new ArrayList<>();
    private final Instant start;
    private Instant now;

    /** Begins at some fixed moment. */
    public VirtualWaiter() {
        this(Instant.parse("2026-02-03T04:05:06Z"));
    }

    public VirtualWaiter(Instant now) {
        this.start = now;
        this.now = now;
    }

    /** Happens each time that time passes; for chains. */
    public VirtualWaiter eachTime(Runnable happening) {
        happenings.add(happening);
        return this;
    }

    /** Happens once, when so much time has passed since the beginning; for chains. */
    public VirtualWaiter after(Duration delay, Runnable happening) {
        boolean[] done = {false};
        return eachTime(() -> {
            if (!done[0] && !elapsed().minus(delay).isNegative()) {
                done[0] = true;
                happening.run();
            }
        });
    }

    /** How much time has passed. */
    public Duration elapsed() {
        return Duration.between(start, now);
    }

    /** What was awaited, in order; not what came at the first look. */
    public List<String> awaited() {
        return List.copyOf(awaited);
    }

    @Override
    public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
        Instant began = now;
        while (true) {
            switch (question.get()) {
                case Attempt.Done<T>(T value) -> {
                    return Optional.of(value);
                }
                case Attempt.NotYet<T>(String answer, Duration atLeast) -> {
                    if (Duration.between(began, now).compareTo(await.limit()) >= 0) {
                        throw new ClusterException(
                                CommonReason.TIMED_OUT,
                                "gave up waiting for " + await.what(),
                                "the last answer was: " + answer,
                                await.next());
                    }
                    if (began.equals(now)) {
                        awaited.add(await.what());
                    }
                    pass(await.interval().compareTo(atLeast) >= 0 ? await.interval() : atLeast);
                }
            }
        }
    }

    @Override
    public void pause(String area, String reason, Duration duration) {
        pass(duration);
    }

    private void pass(Duration duration) {
        now = now.plus(duration);
        List.copyOf(happenings).forEach(Runnable::run);
    }

    @Override
    public Instant now() {
        return now;
    }
}
