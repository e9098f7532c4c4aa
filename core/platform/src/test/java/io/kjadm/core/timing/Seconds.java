package io.kjadm.core.timing;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A clock whose seconds pass only when the test says so. */
final class Seconds implements LongSupplier {

    // of no meaning, like that of System.nanoTime
    private long nanos = -1_234_567_890_123L;

    void pass(int seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }

    @Override
    public long getAsLong() {
        return nanos;
    }
}
