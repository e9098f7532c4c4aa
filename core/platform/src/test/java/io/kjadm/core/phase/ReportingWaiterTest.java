package io.kjadm.core.phase;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A dry run's waits. */
class ReportingWaiterTest {

    private static final Await AWAIT =
            new Await("test", "an answer", Duration.ofMinutes(5), Duration.ofSeconds(1), "");

    private final RecordingReporter out = new RecordingReporter();
    private final ReportingWaiter waiter = new ReportingWaiter(() -> Instant.EPOCH, out);

    @Test
    void whatIsThereIsTaken() {
        assertEquals(Optional.of("yes"), waiter.until(AWAIT, () -> Attempt.done("yes")));
        assertEquals(List.of(), out.lines());
    }

    @Test
    void whatIsNotThereIsReportedAndNotWaitedFor() {
        assertEquals(Optional.empty(), waiter.until(AWAIT, () -> Attempt.notYet("no")));
        assertEquals(List.of("[dryrun] Would wait for an answer for at most 5m0s"), out.lines());
    }
}
