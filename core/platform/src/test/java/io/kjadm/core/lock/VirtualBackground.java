package io.kjadm.core.lock;

import io.kjadm.core.phase.VirtualWaiter;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** Repeats work as the time of a {@link VirtualWaiter} passes, in the thread that lets it pass. */
public final class VirtualBackground implements Scheduler {

    private final VirtualWaiter waiter;

    public VirtualBackground(VirtualWaiter waiter) {
        this.waiter = waiter;
    }

    @Override
    public Runnable repeat(String name, Duration first, Supplier<Duration> work) {
        boolean[] closed = {false};
        Instant[] due = {waiter.now().plus(first)};
        waiter.eachTime(() -> {
            while (!closed[0] && !waiter.now().isBefore(due[0])) {
                due[0] = waiter.now().plus(work.get());
            }
        });
        return () -> closed[0] = true;
    }
}
