package io.kjadm.core.flag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Locale;
import java.util.Optional;

class FlagTest {

    @ParameterizedTest
    @EnumSource
    void theConstantIsCalledLikeTheFlag(Flag flag) {
        assertEquals(flag.name(), flag.toString().toUpperCase(Locale.ROOT).replace('-', '_'));
        assertEquals(Optional.of(flag), Flag.named(flag.toString()));
    }

    @ParameterizedTest
    @EnumSource
    void everyFlagHasHelp(Flag flag) {
        assertFalse(flag.help().isBlank());
    }

    @Test
    void nobodyElsesFlagIsFound() {
        assertEquals(Optional.empty(), Flag.named("v"));
        assertEquals(Optional.empty(), Flag.named("--config"));
    }

    @Test
    void theHelpEndsWithTheDefault() {
        assertEquals(
                "Choose a container registry to pull control plane images from (default registry.k8s.io)",
                Flag.IMAGE_REPOSITORY.help());
    }

    @Test
    void whatAFileSaysHasNoFlagBesideIt() {
        assertTrue(Flag.SKIP_TOKEN_PRINT.besideConfig());
        assertFalse(Flag.SERVICE_CIDR.besideConfig());
    }
}
