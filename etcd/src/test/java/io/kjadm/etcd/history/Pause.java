package io.kjadm.etcd.history;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits of threads that are never interrupted. */
final class Pause {

    private Pause() {}

    /** Until a moment of {@link System#nanoTime}. */
    static void until(long moment) {
        long left = moment - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = moment - System.nanoTime();
        }
    }

    static void of(Duration duration) {
        until(System.nanoTime() + duration.toNanos());
    }
}
