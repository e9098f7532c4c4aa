package io.kjadm.core.lock;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Does something again and again beside the run, as a port: a thread, virtual time, or not at all
 * (dry run).
 */
@FunctionalInterface
public interface Scheduler {

    /** Never does it. */
    Scheduler NEVER = (name, first, work) -> () -> {};

    /**
     * Begins.
     *
     * @param name  of the work
     * @param first pause before the first time
     * @param work  does it once and tells the pause before the next time
     * @return ends it: no further time begins, and one that has begun comes to its end
     */
    Runnable repeat(String name, Duration first, Supplier<Duration> work);

    /** A thread for each work, which does not keep the program alive and so ends with it. */
    static Scheduler threads() {
        return (name, first, work) -> {
            CountDownLatch ended = new CountDownLatch(1);
            Thread.ofVirtual().name(name).start(() -> repeatUntil(ended, first, work));
            return ended::countDown;
        };
    }

    private static void repeatUntil(CountDownLatch ended, Duration first, Supplier<Duration> work) {
        Duration pause = first;
        try {
            while (!ended.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                pause = work.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
