package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.etcd.leave.RemovalState.Reason;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code --force} and {@code --force-last-member} overrule, in every reset. */
class RemovalReasonTest {

    @ParameterizedTest
    @CsvSource({
        "NEEDED_FOR_QUORUM, false, false, false, false",
        "OTHER_CLUSTER,     false, false, false, false",
        "QUORUM_LOST,       false, false, false, true",
        "UNPROVEN,          false, true,  false, true",
        "UNKNOWN,           false, true,  false, true",
        "UNREACHABLE,       false, true,  true,  true"
    })
    void eachReasonHasItsFlags(
            Reason reason, boolean none, boolean force, boolean last, boolean both) {
        assertEquals(none, reason.forcedBy(false, false));
        assertEquals(force, reason.forcedBy(true, false));
        assertEquals(last, reason.forcedBy(false, true));
        assertEquals(both, reason.forcedBy(true, true));
        assertEquals(both, reason.flags().isPresent());
    }
}
