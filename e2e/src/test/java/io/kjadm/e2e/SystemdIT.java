package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.lab.HostCommand;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.api.Test;

/**
 * A standalone etcd under a real systemd: nodes of the labs have a script in its place. What the
 * script shows is told at its head.
 */
@NeedsLab(sandbox = true)
final class SystemdIT {

    /** Exit status of the script where it can show nothing. */
    private static final int SKIPPED = 77;

    @Test
    void itsUnitsRunAndAnUnfinishedRestoreKeepsEtcdFromStarting() {
        assumeTrue(Boolean.getBoolean("kjadm.systemd"), "played with -Dkjadm.systemd=true");
        var shown = HostCommand.script("e2e/systemd").mergingErrors().run();

        assumeFalse(shown.status() == SKIPPED, shown::stdout);
        assertEquals(0, shown.status(), shown::everything);
    }
}
