package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Optional;

/** How much of the database has come, as it is told while the member answers nobody. */
class SnapshotTransferTest {

    private static final long MIB = 1 << 20;
    private static final Instant BEGAN = Instant.parse("2026-02-03T04:05:06Z");

    private static Optional<SnapshotTransfer> after(
            Optional<SnapshotTransfer> before, long seconds, long bytes, long total) {
        return SnapshotTransfer.after(before, BEGAN.plusSeconds(seconds), bytes, total);
    }

    private static Optional<SnapshotTransfer> first(long bytes, long total) {
        return after(Optional.empty(), 0, bytes, total);
    }

    @Test
    void lessThanAMebibyteOrMoreThanThereIsTellsNothing() {
        assertEquals(Optional.empty(), first(MIB - 1, 8 * MIB));
        assertEquals(Optional.empty(), first(9 * MIB, 8 * MIB), "it is another database");
        assertEquals(MIB, first(MIB, 8 * MIB).orElseThrow().bytes());
        assertEquals(8 * MIB, first(8 * MIB, 8 * MIB).orElseThrow().bytes());
    }

    @Test
    void whatWasSeenIsKeptWhileNothingIsThereToTell() {
        Optional<SnapshotTransfer> known = first(4 * MIB, 8 * MIB);
        assertEquals(known, after(known, 1, 0, 8 * MIB));
        assertEquals(known, after(known, 1, 0, 4 * MIB));
        assertEquals(Optional.empty(), after(known, 1, 0, 3 * MIB), "the leader's has shrunk");
    }

    @Test
    void theRateIsTheMeanSinceTheFirstLook() {
        Optional<SnapshotTransfer> known = after(first(2 * MIB, 20 * MIB), 5, 4 * MIB, 20 * MIB);
        assertEquals(
                "the member receives the database: 12.0 of 20.0 MiB (60 %), 1.0 MiB/s, 8 s left",
                after(known, 10, 12 * MIB, 20 * MIB).orElseThrow().describe());
        assertEquals(
                "the member receives the database: 4.0 of 20.0 MiB (20 %), 410 KiB/s, 40 s left",
                known.orElseThrow().describe());
    }

    @Test
    void withoutAMeasurableTimeOrMovementThereIsNoRate() {
        Optional<SnapshotTransfer> known = first(2 * MIB, 20 * MIB);
        String amount = "the member receives the database: 2.0 of 20.0 MiB (10 %)";
        assertEquals(amount, known.orElseThrow().describe());
        assertEquals(amount, after(known, 30, 2 * MIB, 20 * MIB).orElseThrow().describe());
        assertEquals(
                "the member receives the database: 3.0 of 20.0 MiB (15 %), 1.0 MiB/s, 17 s left",
                after(known, 1, 3 * MIB, 20 * MIB).orElseThrow().describe());
        Instant soon = BEGAN.plusMillis(999);
        assertEquals(
                "the member receives the database: 3.0 of 20.0 MiB (15 %)",
                SnapshotTransfer.after(known, soon, 3 * MIB, 20 * MIB)
                        .orElseThrow()
                        .describe());
    }

    @Test
    void aSnapshotThatBeginsAnewIsCountedAnew() {
        Optional<SnapshotTransfer> known = first(9 * MIB, 20 * MIB);
        SnapshotTransfer anew = after(known, 10, 2 * MIB, 20 * MIB).orElseThrow();
        assertEquals(BEGAN.plusSeconds(10), anew.since());
        assertEquals(2 * MIB, anew.first());
        SnapshotTransfer same = after(known, 10, 9 * MIB, 20 * MIB).orElseThrow();
        assertEquals(BEGAN, same.since(), "as much as before is no new beginning");
    }
}
