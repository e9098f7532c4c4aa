package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.EntryBody;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;

/** Persons and machines write to the log at the same time. */
class OperatorEntryTest {

    private static final String COMMAND = "kjadm etcd auto pause";

    private final LogLab lab = new LogLab();
    private final AutoLog person = lab.person();
    private final AutoLog machine = lab.machine(new MemoryFiles());
    /** How often a machine writes right after the person has read the log. */
    private int faster;

    @BeforeEach
    void theLogIsRead() {
        person.refresh();
    }

    private Optional<EntryBody> pause() {
        Optional<EntryBody> wanted = person.charter().pause().isPresent()
                ? Optional.empty()
                : Optional.of(LogLab.pause("why"));
        if (faster > 0) {
            faster--;
            machine.refresh();
            // the machine writes, and undoes it, so that the person still has something to say
            machine.append(LogLab.pause("a machine's"), "", "");
            machine.append(
                    new EntryBody.Resume(machine.charter().pause().orElseThrow().slot()), "", "");
        }
        return wanted;
    }

    @Test
    void whatAMachineWasFasterThanIsDecidedAgain() {
        faster = 2;
        assertTrue(OperatorEntry.writeAll(person, this::pause, COMMAND));
        assertEquals("why", person.charter().pause().orElseThrow().body().reason());
        assertEquals(5, person.charter().tail().slot());
    }

    @Test
    void whatIsThereAlreadyIsNotWritten() {
        assertFalse(OperatorEntry.writeAll(person, Optional::empty, COMMAND));
        assertEquals(0, person.charter().tail().slot());
    }

    @Test
    void aPersonWhoIsNeverFasterIsTold() {
        faster = 100;
        assertThrows(
                ClusterException.class, () -> OperatorEntry.writeAll(person, this::pause, COMMAND));
        assertTrue(faster > 90, "it ends");
    }

    /** Its entry was decided by what the person has read, and seen. */
    @Test
    void oneThatAPersonHasDecidedIsNotWrittenBehindAnother() {
        machine.refresh();
        machine.append(LogLab.pause("a machine's"), "", "");
        assertThrows(
                ClusterException.class,
                () -> OperatorEntry.write(
                        person, LogLab.pause("why"), "", COMMAND, Optional.empty()));
        assertEquals(1, person.charter().tail().slot());
    }
}
