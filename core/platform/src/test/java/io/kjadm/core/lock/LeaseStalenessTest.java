package io.kjadm.core.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

/** A Lease ages only while it is looked at. */
class LeaseStalenessTest {

    private static final Instant START = Instant.parse("2026-02-03T04:05:06Z");

    private final LeaseStaleness watch = new LeaseStaleness();

    @Test
    void timeBetweenLooksAddsUpAndAChangeBeginsAnew() {
        assertEquals(Duration.ZERO, watch.observe("1", START));
        assertEquals(Duration.ofSeconds(2), watch.observe("1", START.plusSeconds(2)));
        assertEquals(Duration.ofSeconds(4), watch.observe("1", START.plusSeconds(4)));
        assertEquals(Duration.ZERO, watch.observe("2", START.plusSeconds(6)));
        assertEquals(Duration.ofSeconds(1), watch.observe("2", START.plusSeconds(7)));
    }

    @Test
    void aMachineThatSleptOrAClockThatJumpedMakesNobodyDead() {
        watch.observe("1", START);
        assertEquals(Duration.ofSeconds(5), watch.observe("1", START.plus(Duration.ofDays(2))));
        assertEquals(Duration.ofSeconds(5), watch.observe("1", START));
        assertEquals(Duration.ofSeconds(6), watch.observe("1", START.plusSeconds(1)));
    }
}
