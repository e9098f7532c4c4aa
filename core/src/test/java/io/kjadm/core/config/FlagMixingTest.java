package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;

import org.junit.jupiter.api.Test;

import java.util.Set;

class FlagMixingTest {

    @Test
    void whatSaysHowToRunStandsBesideAFile() {
        assertDoesNotThrow(() -> FlagMixing.check(Set.of(
                Flag.CONFIG, Flag.ALLOW_DEGRADED, Flag.FORCE_LAST_MEMBER, Flag.SKIP_PHASES)));
    }

    @Test
    void whatSaysWhatToMakeDoesNot() {
        UsageException refused = assertThrows(
                UsageException.class,
                () -> FlagMixing.check(Set.of(Flag.CONFIG, Flag.CERTIFICATE_KEY)));
        assertTrue(refused.what().contains("--certificate-key"), refused.what());
    }
}
