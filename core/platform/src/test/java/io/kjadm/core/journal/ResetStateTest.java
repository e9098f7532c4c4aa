package io.kjadm.core.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

class ResetStateTest {

    /** A removal that may only have been sent is no reason to delete data. */
    @Test
    void aMemberHasLeftOnceTheClusterDoesNotListIt() {
        assertEquals(
                List.of(ResetState.REMOVED, ResetState.STOPPED, ResetState.CLEANING),
                Stream.of(ResetState.values()).filter(ResetState::left).toList());
    }
}
