package io.kjadm.core.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.MemoryFiles;
import org.junit.jupiter.api.Test;

/** A run is told from another with the same process ID by when it began. */
class NodeRunTest {

    private static final String STAT =
            "%d (a (b) c) S 1 4 4 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %d 1000 10\n";

    private static MemoryFiles running(int pid, int start) {
        return new MemoryFiles().with("/proc/%d/stat".formatted(pid), STAT.formatted(pid, start));
    }

    @Test
    void aRunIsNamedByItsProcess() {
        assertEquals("311-90412", new NodeRun(running(311, 90412), 311).name());
    }

    @Test
    void aRunThatWorksIsNotOver() {
        assertFalse(new NodeRun(running(311, 90412), 400).over("311-90412"));
    }

    @Test
    void aRunWhoseProcessIsGoneIsOver() {
        assertTrue(new NodeRun(new MemoryFiles(), 400).over("311-90412"));
    }

    @Test
    void aRunWhoseProcessIdWasUsedAgainIsOver() {
        assertTrue(new NodeRun(running(311, 95555), 400).over("311-90412"));
    }

    @Test
    void aNameOfAnotherKindTellsNothing() {
        assertFalse(new NodeRun(new MemoryFiles(), 400).over("leader-4711-x"));
        assertFalse(new NodeRun(new MemoryFiles(), 400).over(""));
    }

    @Test
    void withoutAProcessTableThereIsStillAName() {
        assertEquals("311-0", new NodeRun(new MemoryFiles(), 311).name());
    }

    @Test
    void thisVeryProcessIsFound() {
        NodeRun self = new NodeRun(new DiskFiles(), ProcessHandle.current().pid());
        assertTrue(self.name().matches("[1-9]\\d*-[1-9]\\d*"), self.name());
        assertFalse(self.over(self.name()));
    }
}
