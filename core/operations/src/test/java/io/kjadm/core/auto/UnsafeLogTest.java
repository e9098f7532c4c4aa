package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.auto.AutoLog.Appended;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.store.MemoryStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** A log in the store that is not the one that machines have read, or not for this program. */
class UnsafeLogTest extends AutoLogScene {

    private static String unsafe(AutoLog log) {
        String why = assertInstanceOf(StoreView.Unsafe.class, log.refresh()).why();
        lookAgain(log, why);
        return why;
    }

    /** Whatever the store says later. */
    private static void lookAgain(AutoLog log, String why) {
        assertEquals(new StoreView.Unsafe(why), log.refresh());
        assertThrows(IllegalStateException.class, () -> log.append(PAUSE, "", ""));
    }

    /** The machines of the original would write another log. */
    @Test
    void aCopyOfTheStoreIsNotUsed() {
        MemoryStore copy = new MemoryStore();
        MemoryFiles operator = new MemoryFiles();
        new ClusterSeed(copy, operator, lab.waiter, lab.random)
                .seed(
                        new ClusterSeed.Wanted("etcd", LogLab.wanted().spec(), "s3://original/"),
                        LogLab.TOKEN);
        AutoLog copied = AutoLog.open(
                copy,
                AutoToken.read(operator, LogLab.TOKEN),
                AutoMemory.none(),
                lab.waiter,
                lab.random);
        assertInstanceOf(StoreView.Unsafe.class, copied.refresh());
        assertThrows(IllegalStateException.class, () -> copied.append(PAUSE, "", ""));
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 2, 1})
    void aLogThatWasCutIsUnsafeAfterARestart(long from) {
        written(3);
        reads(log);
        for (long slot = from; slot <= 3; slot++) {
            lab.memory.delete(AutoObjects.entry(slot));
        }

        String why = unsafe(lab.machine(here));

        assertTrue(why.contains(AutoObjects.entry(3)), why);
    }

    @Test
    void aLogThatWasCutIsUnsafeWithinAnHour() {
        written(3);
        reads(log);
        lab.memory.delete(AutoObjects.entry(3));
        reads(log);
        pass(Duration.ofHours(1));

        unsafe(log);
        assertEquals(3, log.charter().tail().slot());
    }

    @Test
    void aLogThatWasCutIsFoundBeforeAnEntryIsWritten() {
        written(2);
        reads(log);
        lab.memory.delete(AutoObjects.entry(2));

        assertEquals(Appended.UNSETTLED, append(log, PAUSE));

        assertInstanceOf(StoreView.Unsafe.class, log.refresh());
        assertFalse(lab.memory.objects.containsKey(AutoObjects.entry(3)));
    }

    @Test
    void aLogThatWasPutBackAndContinuedIsUnsafe() {
        written(3);
        reads(log);
        lab.memory.delete(AutoObjects.entry(3));
        AutoLog stranger = lab.person();
        reads(stranger);
        append(stranger, LogLab.pause("another history"));

        assertEquals(
                AutoObjects.entry(3) + " is not what this machine has read before",
                unsafe(lab.machine(here)));
    }

    /** Slot 2 is put there again, but slot 3 was written after what had been there. */
    @Test
    void anEntryThatDoesNotFollowIsUnsafe() {
        written(3);
        byte[] third = lab.object(3);
        lab.memory.delete(AutoObjects.entry(3));
        lab.memory.delete(AutoObjects.entry(2));
        AutoLog stranger = lab.person();
        reads(stranger);
        append(stranger, new Resume(1));
        lab.memory.put(AutoObjects.entry(3), third);

        unsafe(log);
        assertEquals(2, log.charter().tail().slot());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aBlankMachineBelievesAReportMoreThanAShortLog(long gone) {
        written(3);
        AutoLog other = lab.machine(new MemoryFiles());
        reads(other);
        other.reports()
                .write(LogLab.report(LogLab.id(here), 9, 1, other.charter().tail()));
        lab.memory.delete(AutoObjects.entry(gone));
        AutoLog blank = lab.machine(new MemoryFiles());
        reads(blank);
        blank.reports().read();

        assertEquals(
                Appended.LOST,
                append(blank, gone == 2 ? new Resume(1) : LogLab.pause("new history")));

        assertEquals(
                "machine %s has read slot 3, and the log in the store ends at slot %d"
                        .formatted(LogLab.id(here), gone - 1),
                unsafe(blank));
    }

    @Test
    void aReportOfAnotherEntryIsUnsafe() {
        written(3);
        reads(log);
        log.reports().write(LogLab.report(LogLab.id(here), 1, 1, new Known(2, "0".repeat(64))));
        log.reports().read();

        assertEquals(
                "machine %s has read another entry at slot 2 than is in the store"
                        .formatted(LogLab.id(here)),
                unsafe(log));
    }

    @Test
    void anEntryOfANewerProgramIsUnsafe() throws Exception {
        reads(log);
        EntryJson json = new EntryJson(lab.token);
        Entry entry = new Entry(
                log.charter().next(),
                new Entry.Author(Optional.empty(), 0, "00", lab.waiter.now()),
                PAUSE,
                "",
                "");
        String line = new String(json.write(entry), StandardCharsets.UTF_8)
                .lines()
                .toList()
                .getFirst()
                .replace("\"type\":\"pause\"", "\"type\":\"seal\"");
        lab.memory.put(
                AutoObjects.entry(1),
                new AuthenticJson(lab.token)
                        .write(AutoObjects.entry(1), (ObjectNode) JsonInput.tree(line)));

        assertEquals("slot 1 of the log was written by a newer kjadm", unsafe(log));
        assertEquals(0, lab.machine(here).charter().tail().slot());
    }
}
