package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Provided;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.Stops;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** The turns of a daemon, and how it ends. */
class AutoLoopTest {

    private final LogLab lab = new LogLab();
    private final MemoryFiles files = new MemoryFiles();
    private final AutoLog log = lab.machine(files);
    private final AutoMemory memory = AutoMemory.of(files, LogLab.STATE);

    /** A blank machine that is not ready. */
    private final class Blank implements MachineView {

        @Override
        public Self self(Charter charter) {
            return new Self(
                    memory.id(),
                    new Step.Own("etcd1", "10.0.0.11", charter.seed().spec().version(), List.of()),
                    URI.create("https://10.0.0.11:2380"),
                    URI.create("https://10.0.0.11:2379"));
        }

        @Override
        public Local local(Charter charter, Optional<MachineReport> reported) {
            return new Local(
                    new Data.Blank(),
                    UnitState.ABSENT,
                    SetUp.NONE,
                    new Readiness(List.of("systemd does not run")),
                    new Provided(false, false, Optional.empty()),
                    Optional.empty(),
                    Stops.none());
        }

        @Override
        public EtcdView etcd(Charter charter) {
            return new EtcdView.Silent("");
        }
    }

    private AutoLoop loop(Waiter waiter) {
        return new AutoLoop(
                log,
                log.reports(),
                new OwnReport(log.reports(), memory, new OwnReport.Names("etcd1", "kjadm"), waiter),
                new Blank(),
                _ -> {
                    throw new AssertionError("nothing is to be done");
                },
                new AutoLoop.Context(waiter, Scheduler.NEVER, new SilentReporter()));
    }

    /** systemd stops it: there is nothing that an operator could do next. */
    @Test
    void aDaemonThatIsAskedToStopWhileItWaitsEndsWithoutAnError() {
        int[] turns = new int[1];
        loop(new SystemWaiter(InstantSource.system(), new SilentReporter())).run(_ -> {
            turns[0]++;
            Thread.currentThread().interrupt();
        });
        assertEquals(1, turns[0]);
        assertTrue(Thread.interrupted(), "the rest of the program is to end as well");
    }
}
