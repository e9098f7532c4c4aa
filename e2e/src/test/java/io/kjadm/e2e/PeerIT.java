package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.lab.HostCommand;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** kubeadm's own tests on kjadm under the name kubeadm, where they were built. */
@NeedsLab
final class PeerIT {

    @ParameterizedTest
    @CsvSource({"commands, KJADM_KUBEADM_TESTS", "cluster, KJADM_KUBEADM_E2E_TESTS"})
    void kubeadmsOwnTestsPass(String kind, String variable) {
        assumeTrue(
                System.getenv(variable) != null,
                () -> variable + " does not name the built tests of kubeadm");
        Outcome outcome = HostCommand.script("e2e/peer", kind).mergingErrors().run();
        assertEquals(0, outcome.status(), outcome::stdout);
        assertTrue(outcome.stdout().contains("kjadm: "), outcome::stdout);
    }
}
