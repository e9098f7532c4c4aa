package io.kjadm.cli.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding.Level;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.UpgradeRule;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.Severity;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UpgradeChecksTest {

    @ParameterizedTest
    @CsvSource({
        "PROGRAM_TOO_NEW, SKIPPABLE, true, false, ERROR, true",
        "PROGRAM_TOO_NEW, SKIPPABLE, true, true, WARNING, true",
        // upgrade node takes the version that the cluster has stored
        "PROGRAM_TOO_NEW, SKIPPABLE, false, false, WARNING, true",
        "PROGRAM_PATCH_TOO_OLD, SKIPPABLE, false, false, ERROR, true",
        "API_SERVERS, MANDATORY, false, true, ERROR, false",
        "IMAGES, WARNING, true, false, WARNING, true"
    })
    void whatStopsAPlanStopsARun(
            UpgradeRule rule,
            Severity severity,
            boolean apply,
            boolean force,
            Level level,
            boolean ignorable) {
        UpgradeFinding finding = new UpgradeFinding(rule, severity, new Problem("what", "", ""));
        Check check = UpgradeChecks.check(finding, apply, force);
        assertEquals(rule.checkName(), check.name());
        assertEquals(ignorable, check.ignorable());
        assertEquals(level, check.run().getFirst().level());
    }
}
