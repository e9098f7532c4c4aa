package io.kjadm.core.phase;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** What passes while the machine's clock is set. */
class SteadyClockTest {

    private static final Instant START = Instant.parse("2026-02-03T04:05:06Z");

    @Test
    void aClockThatIsSetMeanwhileMakesNoDifference() {
        AtomicReference<Instant> wall = new AtomicReference<>(START);
        AtomicLong nanos = new AtomicLong(-5);
        SteadyClock clock = new SteadyClock(wall::get, nanos::get);
        assertEquals(START, clock.instant());
        wall.set(START.plus(Duration.ofHours(1)));
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        assertEquals(START.plusSeconds(2), clock.instant());
        wall.set(START.minus(Duration.ofHours(1)));
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        assertEquals(START.plusSeconds(8), clock.instant());
    }
}
