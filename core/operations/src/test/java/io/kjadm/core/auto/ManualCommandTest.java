package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.auto.ManualCommand.Reason;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.EntryBody.Retire;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;

class ManualCommandTest {

    private static final Optional<String> NO_OVERRIDE = Optional.empty();

    private static Optional<ManualCommand> of(String command, String... flags) {
        return ManualCommand.of(List.of(command.split(" ")), Set.of(flags)::contains);
    }

    @Test
    void whatChangesMembersRunsInAPause() {
        assertEquals(Optional.of(ManualCommand.IN_A_PAUSE), of("init phase start"));
        assertEquals(Optional.of(ManualCommand.IN_A_PAUSE), of("member remove"));
        assertEquals(Optional.empty(), of("member remove", "--dry-run"));
    }

    @Test
    void whatReplacesDataDoesNotRun() {
        assertEquals(Optional.of(ManualCommand.NEVER), of("snapshot restore"));
        assertEquals(Optional.of(ManualCommand.NEVER), of("auto adopt"));
        assertEquals(Optional.of(ManualCommand.NEVER), of("recover", "--apply"));
        assertEquals(Optional.of(ManualCommand.NEVER), of("teardown", "--yes"));
        assertEquals(Optional.empty(), of("recover"));
        assertEquals(Optional.empty(), of("teardown", "--force"));
    }

    /** The store would keep the CA before, and no member would respond to a machine any more. */
    @Test
    void theCaIsNotChangedBesideTheOneInTheStore() {
        ManualCommand rotates = of("certs rotate-ca").orElseThrow();
        refused(Reason.AUTOMATIC, rotates, charter(true), NO_OVERRIDE);
        assertEquals(Optional.empty(), of("certs renew"));
    }

    private static Optional<Charter> charter(boolean paused) {
        LogLab lab = new LogLab();
        AutoLog log = lab.machine(new MemoryFiles());
        log.refresh();
        if (paused) {
            log.append(LogLab.pause("new switches"), "", "");
        }
        return Optional.of(log.charter());
    }

    private static void refused(
            Reason reason,
            ManualCommand command,
            Optional<Charter> log,
            Optional<String> override) {
        assertEquals(
                reason,
                assertThrows(UsageException.class, () -> command.require(log, override))
                        .reason()
                        .orElseThrow());
    }

    @Test
    void aPauseLetsMembersBeChanged() {
        assertDoesNotThrow(() -> ManualCommand.IN_A_PAUSE.require(charter(true), NO_OVERRIDE));
        refused(Reason.NOT_PAUSED, ManualCommand.IN_A_PAUSE, charter(false), NO_OVERRIDE);
        refused(Reason.AUTOMATIC, ManualCommand.NEVER, charter(true), NO_OVERRIDE);
    }

    @Test
    void afterTheEndOfTheAutomaticModeEverythingRuns() {
        LogLab lab = new LogLab();
        AutoLog log = lab.person();
        log.refresh();
        log.append(new Retire(""), "", "");
        for (ManualCommand command : ManualCommand.values()) {
            assertDoesNotThrow(() -> command.require(Optional.of(log.charter()), NO_OVERRIDE));
        }
    }

    @Test
    void withoutTheStoreAPersonTakesTheWord() {
        Optional<String> word = Optional.of("the store burned");
        refused(Reason.STORE_UNKNOWN, ManualCommand.IN_A_PAUSE, Optional.empty(), NO_OVERRIDE);
        assertDoesNotThrow(() -> ManualCommand.IN_A_PAUSE.require(Optional.empty(), word));
        assertDoesNotThrow(() -> ManualCommand.NEVER.require(Optional.empty(), word));
        refused(Reason.STORE_RESPONDS, ManualCommand.IN_A_PAUSE, charter(false), word);
    }
}
