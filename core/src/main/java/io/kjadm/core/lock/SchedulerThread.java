package io.kjadm.core.lock;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A thread for each work, which does not keep the program alive and so ends with it. */
public final class SchedulerThread implements Scheduler {

    @Override
    public PeriodicTask repeat(String name, Duration first, Supplier<Duration> work) {
        CountDownLatch closed = new CountDownLatch(1);
        Thread.ofVirtual().name(name).start(() -> run(closed, first, work));
        return closed::countDown;
    }

    private static void run(CountDownLatch closed, Duration first, Supplier<Duration> work) {
        Duration pause = first;
        try {
            while (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                pause = work.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
