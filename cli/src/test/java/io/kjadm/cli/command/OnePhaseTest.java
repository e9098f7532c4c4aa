package io.kjadm.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.flag.Flag;

import org.junit.jupiter.api.Test;

import java.util.List;

class OnePhaseTest {

    @Test
    void aPhaseThatTakesASocketLooksForOneLikeTheWholeCommand() {
        OnePhase phase = new OnePhase("kubelet-start", List.of(Flag.CONFIG, Flag.CRI_SOCKET));
        assertTrue(phase.takesSocket());
        assertEquals(LoadOptions.RUN, phase.loadOptions());
    }

    @Test
    void anyOtherPhaseTakesTheNodesWithoutAChoice() {
        OnePhase phase = new OnePhase("certs/all", List.of(Flag.CONFIG));
        assertFalse(phase.takesSocket());
        assertTrue(phase.loadOptions().criSocket().isPresent());
    }
}
