package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.LoadOptions;

import org.junit.jupiter.api.Test;

import java.util.List;

class OnePhaseTest {

    @Test
    void aPhaseThatTakesASocketLooksForOneLikeTheWholeCommand() {
        OnePhase phase = new OnePhase("kubelet-start", List.of("config", "cri-socket"));
        assertTrue(phase.takesSocket());
        assertEquals(LoadOptions.RUN, phase.loadOptions());
    }

    @Test
    void anyOtherPhaseTakesTheNodesWithoutAChoice() {
        OnePhase phase = new OnePhase("certs/all", List.of("config"));
        assertFalse(phase.takesSocket());
        assertTrue(phase.loadOptions().criSocket().isPresent());
    }
}
