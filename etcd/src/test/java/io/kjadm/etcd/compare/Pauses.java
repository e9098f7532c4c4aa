package io.kjadm.etcd.compare;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waiting by the wall clock. */
final class Pauses {

    private Pauses() {}

    static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** @return whether the condition came true within the limit */
    static boolean until(Duration limit, Duration interval, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            sleep(interval);
        }
        return true;
    }
}
