package io.kjadm.core.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.MemoryFiles;

import org.junit.jupiter.api.Test;

/** A run is told from another with the same process ID by when it began. */
class ProcessIdentityTest {

    private static final String STAT =
            "%d (a (b) c) S 1 4 4 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %d 1000 10\n";

    private static MemoryFiles running(int pid, int start) {
        return machine().with("/proc/%d/stat".formatted(pid), STAT.formatted(pid, start));
    }

    private static MemoryFiles machine() {
        return machine("9b0c7a55", 12);
    }

    private static MemoryFiles machine(String boot, int first) {
        return new MemoryFiles()
                .with("/proc/sys/kernel/random/boot_id", boot + "-c3f0-4e1e-8f0e-5d2b6a1c7e90\n")
                .with("/proc/1/stat", STAT.formatted(1, first));
    }

    @Test
    void aRunIsNamedByItsProcess() {
        assertEquals("311-90412-9b0c7a55-12", new ProcessIdentity(running(311, 90412), 311).name());
    }

    @Test
    void aRunThatWorksIsNotOver() {
        assertFalse(new ProcessIdentity(running(311, 90412), 400).over("311-90412-9b0c7a55-12"));
    }

    @Test
    void aRunOnAnotherMachineOrInAnotherContainerOfThisNameIsNotKnown() {
        String name = new ProcessIdentity(running(311, 90412), 311).name();
        assertFalse(
                new ProcessIdentity(machine("77aa0123", 12), 400).over(name), "another machine");
        assertFalse(
                new ProcessIdentity(machine("9b0c7a55", 4000), 400).over(name),
                "another container");
        assertTrue(new ProcessIdentity(machine(), 400).over(name));
    }

    @Test
    void aRunWhoseProcessIsGoneIsOver() {
        assertTrue(new ProcessIdentity(machine(), 400).over("311-90412-9b0c7a55-12"));
    }

    @Test
    void aRunWhoseProcessIdWasUsedAgainIsOver() {
        assertTrue(new ProcessIdentity(running(311, 95555), 400).over("311-90412-9b0c7a55-12"));
    }

    @Test
    void aNameOfAnotherKindTellsNothing() {
        assertFalse(new ProcessIdentity(new MemoryFiles(), 400).over("leader-4711-x"));
        assertFalse(new ProcessIdentity(new MemoryFiles(), 400).over(""));
    }

    @Test
    void withoutAProcessTableThereIsStillAName() {
        assertEquals("311-0-0-0", new ProcessIdentity(new MemoryFiles(), 311).name());
    }

    @Test
    void aTableThatTellsLessThanTheStartTellsNothing() {
        String cut = "311 (kjadm) S 1 4 4 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0\n";
        assertEquals(
                "311-0-0-0",
                new ProcessIdentity(new MemoryFiles().with("/proc/311/stat", cut), 311).name());
    }

    @Test
    void thisVeryProcessIsFound() {
        ProcessIdentity self =
                new ProcessIdentity(new DiskFiles(), ProcessHandle.current().pid());
        assertTrue(self.name().matches("[1-9]\\d*-[1-9]\\d*-\\w+-\\d+"), self.name());
        assertFalse(self.over(self.name()));
    }
}
