package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.lab.HostCommand;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Test;

/** kubeadm's own command tests on kjadm under the name kubeadm, where they were built. */
@NeedsLab
final class PeerIT {

    @Test
    void kubeadmsOwnTestsPass() {
        assumeTrue(
                System.getenv("KJADM_KUBEADM_TESTS") != null,
                "KJADM_KUBEADM_TESTS does not name the built tests of kubeadm");
        Outcome outcome = HostCommand.script("e2e/peer").mergingErrors().run();
        assertEquals(0, outcome.status(), outcome::stdout);
        assertTrue(outcome.stdout().contains("kjadm: "), outcome::stdout);
    }
}
