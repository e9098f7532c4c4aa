package io.kjadm.core.lock;

import java.time.Duration;
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
     */
    PeriodicTask repeat(String name, Duration first, Supplier<Duration> work);

    /** Something that is being repeated. */
    @FunctionalInterface
    interface PeriodicTask extends AutoCloseable {

        /** No further time begins; one that has begun comes to its end. */
        @Override
        void close();
    }
}
