package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;

import org.junit.jupiter.api.Test;

import java.util.Set;

class FlagMixingTest {

    @Test
    void whatSaysHowToRunStandsBesideAFile() {
        assertDoesNotThrow(() -> FlagMixing.check(
                Set.of("config", "allow-degraded", "force-last-member", "skip-phases")));
    }

    @Test
    void whatSaysWhatToMakeDoesNot() {
        UsageException refused = assertThrows(
                UsageException.class, () -> FlagMixing.check(Set.of("config", "certificate-key")));
        assertTrue(refused.what().contains("--certificate-key"), refused.what());
    }
}
