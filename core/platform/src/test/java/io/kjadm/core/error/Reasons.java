package io.kjadm.core.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.etcd.ProblemReason;

import org.junit.jupiter.api.function.Executable;

import java.util.Optional;

/** Asserts failures by their reasons. */
public final class Reasons {

    private Reasons() {}

    /** Runs it, and expects a failure of that kind for that reason. */
    public static void assertReason(
            ProblemReason reason, Class<? extends KjadmException> kind, Executable run) {
        KjadmException failure = assertThrows(kind, run);
        assertEquals(Optional.of(reason), failure.reason(), failure::toString);
    }
}
