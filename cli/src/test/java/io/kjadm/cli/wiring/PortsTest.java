package io.kjadm.cli.wiring;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.standalone.ReleaseInstaller;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/** Commands about a standalone etcd cannot tell a dry run from a real one. */
class PortsTest {

    private static final MembershipLock QUEUED = (_, _) -> {
        throw new AssertionError("a dry run waits for no other machine");
    };

    @Test
    void aRealRunTakesTheLockAndInstallsReleases() {
        try (Ports real = Ports.of(new RecordingReporter(), false)) {
            assertSame(QUEUED, real.servers().locked().apply(QUEUED));
            assertInstanceOf(ReleaseInstaller.class, real.servers().programs());
        }
    }

    @Test
    void aDryRunTakesNoLockAndInstallsNothing() {
        try (Ports dry = Ports.of(new RecordingReporter(), true)) {
            dry.servers()
                    .locked()
                    .apply(QUEUED)
                    .take(Work.beginning("etcd join"), Duration.ZERO)
                    .close();
            assertFalse(dry.servers().programs() instanceof ReleaseInstaller);
        }
    }
}
