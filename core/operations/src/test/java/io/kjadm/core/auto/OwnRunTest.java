package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.MachineReport.Known;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Machines that were copied, or put back to what they were. */
class OwnRunTest {

    private static final Known KNOWN = new Known(0, "e02b");

    private final LogLab lab = new LogLab();
    private final MemoryFiles files = new MemoryFiles();

    /** A daemon, from its start on. */
    private final class Daemon {
        final AutoMemory memory;
        final MachineReports reports;
        final OwnRun run;
        private long beat;

        Daemon(MemoryFiles on, String boot) {
            memory = AutoMemory.of(on, LogLab.STATE);
            memory.start(lab.random);
            reports = AutoLog.open(lab.store, lab.token, memory, lab.waiter, lab.random)
                    .reports();
            run = new OwnRun(reports, memory, boot, lab.waiter);
        }

        /** A look, and a report if nothing is against it. */
        Optional<Boolean> look() {
            reports.read();
            Optional<Boolean> copy = run.look().map(Copy::certain);
            if (copy.isEmpty()) {
                beat++;
                reports.write(LogLab.report(memory.id(), memory.run(), beat, KNOWN));
            }
            return copy;
        }
    }

    /** Looks from time to time; what it has seen at the end. */
    private Optional<Boolean> watches(Daemon daemon, int seconds) {
        int left = seconds;
        for (; left > 30; left -= 30) {
            pass(30);
            daemon.look();
        }
        pass(left);
        return daemon.look();
    }

    private void pass(int seconds) {
        lab.waiter.pause("", "", Duration.ofSeconds(seconds));
    }

    private static final Optional<Boolean> ONLY = Optional.empty();
    private static final Optional<Boolean> WATCHES = Optional.of(false);
    private static final Optional<Boolean> COPY = Optional.of(true);

    @Test
    void aNewMachineIsTheOnlyOne() {
        assertEquals(ONLY, new Daemon(files, "boot 1").look());
    }

    @Test
    void aRestartOfTheDaemonIsNotWatched() {
        new Daemon(files, "boot 1").look();
        assertEquals(ONLY, new Daemon(files, "boot 1").look());
    }

    @Test
    void aRebootIsWatchedForAWhile() {
        new Daemon(files, "boot 1").look();
        Daemon again = new Daemon(files, "boot 2");
        assertEquals(WATCHES, again.look());
        assertEquals(WATCHES, watches(again, 149));
        pass(1);
        assertEquals(ONLY, again.look());
        assertEquals(ONLY, new Daemon(files, "boot 2").look());
    }

    @Test
    void aCopyWaitsAsLongAsTheOtherReports() {
        Daemon original = new Daemon(files, "boot 1");
        original.look();
        Daemon copy = new Daemon(new MemoryFiles().with(files), "boot 2");
        assertEquals(WATCHES, copy.look());
        pass(60);
        original.look();
        assertEquals(WATCHES, copy.look());
        for (int i = 0; i < 10; i++) {
            pass(60);
            assertEquals(ONLY, original.look());
            assertEquals(COPY, copy.look());
        }
        assertEquals(true, copy.memory.copied());
        // the other one is gone
        assertEquals(COPY, watches(copy, 149));
        pass(2);
        assertEquals(ONLY, copy.look());
        assertEquals(false, copy.memory.copied());
    }

    /** The original hung for so long that its copy acts. */
    @Test
    void anOriginalThatWasSilentGivesWay() {
        Daemon original = new Daemon(files, "boot 1");
        original.look();
        MemoryFiles copied = new MemoryFiles().with(files);
        Daemon copy = new Daemon(copied, "boot 2");
        copy.look();
        assertEquals(ONLY, watches(copy, 150));
        assertEquals(WATCHES, original.look());
        for (int i = 0; i < 10; i++) {
            pass(60);
            assertEquals(ONLY, copy.look());
            assertEquals(i == 0 ? WATCHES : COPY, original.look());
        }
        assertEquals(true, original.memory.copied());
        // the copy is gone
        assertEquals(ONLY, watches(original, 150));
        pass(10);
        assertEquals(ONLY, original.look());
        // and comes back
        assertEquals(WATCHES, new Daemon(copied, "boot 2").look());
    }

    /** It is in the middle of a command, and reports before it looks. */
    @Test
    void whatTheOtherOneReportedIsNotOverwritten() {
        Daemon original = new Daemon(files, "boot 1");
        original.look();
        Daemon copy = new Daemon(new MemoryFiles().with(files), "boot 2");
        copy.look();
        assertEquals(ONLY, watches(copy, 150));
        original.reports.write(
                LogLab.report(original.memory.id(), original.memory.run(), 2, KNOWN));
        assertEquals(WATCHES, original.look());
    }

    /** The daemon starts again before it has seen the other one's report. */
    @Test
    void aRunOfTheSameNumberIsSeenToo() {
        new Daemon(files, "boot 1").look();
        Daemon copy = new Daemon(new MemoryFiles().with(files), "boot 2");
        copy.look();
        assertEquals(ONLY, watches(copy, 150));
        Daemon again = new Daemon(files, "boot 1");
        assertEquals(copy.memory.run(), again.memory.run());
        assertEquals(WATCHES, again.look());
    }

    /** The original cannot report meanwhile. */
    @Test
    void timeWithoutTheStoreIsNotTimeWithoutTheOther() {
        Daemon original = new Daemon(files, "boot 1");
        original.look();
        Daemon copy = new Daemon(new MemoryFiles().with(files), "boot 2");
        assertEquals(WATCHES, copy.look());
        lab.store.down = true;
        for (int i = 0; i < 30; i++) {
            pass(10);
            assertEquals(WATCHES, copy.look());
        }
        lab.store.down = false;
        assertEquals(WATCHES, copy.look());
        pass(60);
        assertEquals(ONLY, original.look());
        pass(120);
        original.look();
        assertEquals(WATCHES, copy.look());
        pass(60);
        original.look();
        assertEquals(COPY, copy.look());
    }

    /** The original cannot report meanwhile, and the directory that it is mounted on takes writes. */
    @Test
    void timeInWhichTheFolderIsNotMountedIsNotTimeWithoutTheOther() {
        Daemon original = new Daemon(files, "boot 1");
        original.look();
        for (boolean begun : new boolean[] {false, true}) {
            Daemon copy = new Daemon(new MemoryFiles().with(files), "boot of a copy " + begun);
            Optional<Boolean> watches = begun ? copy.look() : ONLY;
            Map<String, byte[]> folder = lab.unmount();
            for (int i = 0; i < 30; i++) {
                pass(10);
                copy.reports.read();
                assertEquals(watches, copy.run.look().map(Copy::certain));
            }
            assertEquals(Map.of(), lab.unmount(), "nothing is left below the folder");
            lab.mount(folder);
            assertEquals(WATCHES, copy.look());
            pass(60);
            assertEquals(ONLY, original.look());
            assertEquals(WATCHES, copy.look());
            pass(60);
            assertEquals(ONLY, original.look());
            assertEquals(COPY, copy.look());
        }
    }

    /** The original cannot report, and is read all the time. */
    @Test
    void timeInWhichNothingCanBeWrittenIsNotTimeWithoutTheOther() {
        Daemon original = new Daemon(files, "boot 1");
        original.look();
        Daemon copy = new Daemon(new MemoryFiles().with(files), "boot 2");
        assertEquals(WATCHES, copy.look());
        lab.store.readOnly = true;
        for (int i = 0; i < 30; i++) {
            pass(10);
            assertEquals(WATCHES, copy.look());
        }
        lab.store.readOnly = false;
        pass(60);
        assertEquals(ONLY, original.look());
        assertEquals(WATCHES, copy.look());
        pass(60);
        assertEquals(ONLY, original.look());
        assertEquals(COPY, copy.look());
    }

    /** By such a store the other one's reports come as late as these looks. */
    @Test
    void aSlowStoreIsGivenMoreTime() {
        new Daemon(files, "boot 1").look();
        Daemon copy = new Daemon(new MemoryFiles().with(files), "boot 2");
        assertEquals(WATCHES, watches(copy, 30));
        pass(60);
        assertEquals(WATCHES, copy.look());
        for (int left = 300 - 90; left > 60; left -= 60) {
            pass(60);
            assertEquals(WATCHES, copy.look(), left + " s left");
        }
        pass(60);
        assertEquals(ONLY, copy.look());
    }

    /** It was suspended, and the other one has reported for the last time just before it looks. */
    @Test
    void aCopyThatStoodStillWatchesFromThenOn() {
        new Daemon(files, "boot 1").look();
        Daemon copy = new Daemon(new MemoryFiles().with(files), "boot 2");
        assertEquals(WATCHES, copy.look());
        pass(3_600);
        assertEquals(WATCHES, copy.look());
        assertEquals(ONLY, watches(copy, 150));
    }

    /** It was copied right after its first start. */
    @Test
    void aCopyOfANewMachineIsWatchedToo() {
        Daemon original = new Daemon(files, "boot 1");
        Daemon copy = new Daemon(new MemoryFiles().with(files), "boot 2");
        assertEquals(ONLY, original.look());
        assertEquals(WATCHES, copy.look());
    }

    /** Its reports are newer than those of the machine that it was. */
    @Test
    void aMachineThatWasPutBackCountsOn() {
        MemoryFiles old = new MemoryFiles();
        new Daemon(files, "boot 1").look();
        old.with(files);
        for (int i = 0; i < 5; i++) {
            new Daemon(files, "boot 1").look();
        }
        Daemon back = new Daemon(old, "boot 2");
        assertEquals(WATCHES, back.look());
        assertEquals(ONLY, watches(back, 150));
        back.reports.read();
        assertEquals(
                Optional.of(back.memory.run()),
                back.reports
                        .report(back.memory.id())
                        .map(report -> report.life().run()));
    }

    @Test
    void ofTwoThatBootAtOnceOneGoesOn() {
        new Daemon(files, "boot 1").look();
        Daemon one = new Daemon(new MemoryFiles().with(files), "boot 2");
        Daemon other = new Daemon(new MemoryFiles().with(files), "boot 3");
        int alone = 0;
        for (int i = 0; i < 100; i++) {
            boolean first = one.look().isEmpty();
            boolean second = other.look().isEmpty();
            assertEquals(false, first && second, "both at " + i);
            alone += first || second ? 1 : 0;
            pass(10);
        }
        assertEquals(true, alone > 50, alone + " of 100");
    }

    /** Its copy is not counted either, and nothing tells them apart. */
    @Test
    void whileTheStoreIsBusyAMachineWaits() {
        Daemon daemon = new Daemon(files, "boot 1");
        lab.store.fates.add(FlakyStore.Fate.BUSY);
        assertEquals(WATCHES, daemon.look());
        lab.store.fates.add(FlakyStore.Fate.LOST);
        assertEquals(WATCHES, daemon.look());
        assertEquals(ONLY, daemon.look());
    }

    /** It may be a copy, and all but the one call that counts its boot were answered. */
    @Test
    void aBootThatTheStoreDoesNotCountIsNotPassedOver() {
        new Daemon(files, "boot 1").look();
        Daemon daemon = new Daemon(files, "boot 2");
        lab.store.fates.add(FlakyStore.Fate.DENIED);
        assertEquals(WATCHES, daemon.look());
    }

    @Test
    void withoutTheStoreNothingIsKnown() {
        new Daemon(files, "boot 1").look();
        lab.store.down = true;
        assertEquals(ONLY, new Daemon(files, "boot 2").run.look());
    }
}
