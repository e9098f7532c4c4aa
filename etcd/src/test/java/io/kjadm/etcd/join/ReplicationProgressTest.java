package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;

/** What is told of a learner's progress. */
class ReplicationProgressTest {

    @Test
    void theShareIsThatOfTheLeadersEntries() {
        assertEquals(50, new ReplicationProgress(50, 100).percent());
        assertEquals(99, new ReplicationProgress(999, 1000).percent(), "it is not there yet");
        assertEquals(0, new ReplicationProgress(0, 1000).percent());
        assertEquals(100, new ReplicationProgress(7, 7).percent());
        assertEquals(100, new ReplicationProgress(0, 0).percent(), "there is nothing to apply");
        assertEquals(
                100,
                new ReplicationProgress(8, 7).percent(),
                "it is ahead of what the leader told");
    }

    @Test
    void theTimeLeftIsKnownOnlyOfOneThatComesCloser() {
        assertEquals(
                Optional.of(Duration.ofSeconds(4)), new ReplicationProgress(0, 7, 2, 2, 0).left());
        assertEquals(Optional.empty(), new ReplicationProgress(0, 7, 2, 0, 0).left());
        assertEquals(Optional.empty(), new ReplicationProgress(0, 7, 2, -3, 0).left());
    }

    @Test
    void ratesThatAreNotKnownAreNotTold() {
        assertEquals("50 % (entry 50 of 100)", new ReplicationProgress(50, 100).toString());
        assertEquals(
                "50 % (entry 50 of 100, 10 entries/s, 2.5 MiB/s, 10 s left)",
                new ReplicationProgress(50, 100, 10, 5, 2.5 * (1 << 20)).toString());
        assertEquals(
                "100 % (entry 100 of 100, 10 entries/s)",
                new ReplicationProgress(100, 100, 10, 5, 0).toString());
    }
}
