package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.auto.AutoLog.Appended;
import io.kjadm.core.auto.FlakyStore.Fate;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody.Resume;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** An entry of which it is not known whether the store has it. */
class PendingEntryTest extends AutoLogScene {

    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"ANSWER_LOST", "LOST", "LATE", "BUSY"})
    void anEntryWithoutAnAnswerIsSettled(Fate fate) {
        reads(log);
        lab.store.fates.addAll(Collections.nCopies(3, fate));

        assertEquals(Appended.WRITTEN, append(log, PAUSE));

        assertEquals(1, log.charter().tail().slot());
        assertEquals(0, pending().length);
        AutoLog other = lab.machine(new MemoryFiles());
        reads(other);
        assertEquals(log.charter(), other.charter());
    }

    @Test
    void aBusyStoreIsAskedTenTimesBeforeItIsLookedAt() {
        reads(log);
        lab.store.puts = 0;
        lab.store.fates.addAll(Collections.nCopies(11, Fate.BUSY));

        assertEquals(Appended.WRITTEN, append(log, PAUSE));

        assertEquals(12, lab.store.puts);
        Duration waited = lab.waiter.elapsed();
        assertTrue(waited.toMillis() >= 1_500 && waited.toMillis() < 6_000, waited.toString());
    }

    @Test
    void aStoreThatNeverTellsLeavesTheEntryPending() {
        reads(log);
        lab.store.fates.addAll(Collections.nCopies(100, Fate.LOST));

        assertEquals(Appended.UNSETTLED, append(log, PAUSE));

        assertTrue(lab.waiter.elapsed().toSeconds() <= 31, lab.waiter.elapsed().toString());
        assertEquals("the store does not tell whether slot 1 was written", log.trouble());
        assertTrue(pending().length > 0);
        reads(log);
        assertEquals(0, log.charter().tail().slot());
    }

    /** The slot is for that entry alone, whatever is decided meanwhile. */
    @Test
    void anEntryThatIsPendingGoesFirst() {
        reads(log);
        lab.store.fates.addAll(Collections.nCopies(100, Fate.LOST));
        assertEquals(Appended.UNSETTLED, append(log, PAUSE));
        byte[] first = pending();
        assertEquals(Appended.UNSETTLED, append(log, LogLab.pause("later")));
        assertArrayEquals(first, pending());
        lab.store.fates.clear();

        AutoLog restarted = lab.machine(here);
        reads(restarted);
        assertEquals(Appended.LOST, append(restarted, LogLab.pause("later")));

        assertEquals(Optional.of(PAUSE), paused(restarted));
        assertEquals(1, restarted.entries(1).getFirst().author().run());
        assertEquals(0, pending().length);
    }

    @Test
    void theSameAgainIsThePendingOne() {
        reads(log);
        lab.store.fates.addAll(Collections.nCopies(100, Fate.LOST));
        assertEquals(Appended.UNSETTLED, append(log, PAUSE));
        lab.store.fates.clear();

        assertEquals(Appended.WRITTEN, append(log, PAUSE));
        assertEquals(1, log.charter().tail().slot());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEntryThatComesLateSettlesItself(boolean own) {
        reads(log);
        lab.store.fates.addAll(Collections.nCopies(100, Fate.LOST));
        assertEquals(Appended.UNSETTLED, append(log, PAUSE));
        lab.store.fates.clear();
        if (own) {
            String pending = new String(pending(), StandardCharsets.UTF_8);
            lab.memory.put(
                    AutoObjects.entry(1), pending.substring(2).getBytes(StandardCharsets.UTF_8));
        } else {
            AutoLog person = lab.person();
            reads(person);
            append(person, LogLab.pause("other"));
        }

        reads(log);

        assertEquals(Optional.of(own ? PAUSE : LogLab.pause("other")), paused(log));
        assertEquals(0, pending().length);
    }

    @Test
    void whatTheStoreRefusesIsNotPending() {
        reads(log);
        lab.store.fates.add(Fate.DENIED);

        assertEquals(Appended.UNSETTLED, append(log, PAUSE));

        assertEquals(
                "cannot write %s: permission denied".formatted(AutoObjects.entry(1)),
                log.trouble());
        assertEquals(0, pending().length);
        assertEquals(Appended.WRITTEN, append(log, LogLab.pause("later")));
    }

    @Test
    void afterAPutThatMayBeThereARefusalSettlesNothing() {
        reads(log);
        lab.store.fates.addAll(List.of(Fate.LOST, Fate.DENIED));

        assertEquals(Appended.UNSETTLED, append(log, PAUSE));

        assertTrue(pending().length > 0);
    }

    /** Killed after the store has it, and before the machine notes that. */
    @Test
    void aKilledWriterFindsItsEntry() {
        reads(log);
        lab.store.fates.add(Fate.KILLED);
        assertThrows(IllegalStateException.class, () -> append(log, PAUSE));

        AutoLog restarted = lab.machine(here);
        reads(restarted);

        assertEquals(Optional.of(PAUSE), paused(restarted));
        assertEquals(0, pending().length);
    }

    /** Whatever was on the disk when the power went, the log has the entry once or not at all. */
    @Test
    void aPowerCutLeavesTheEntryOnceOrNotAtAll() {
        for (int cut = 1; cut <= 12; cut++) {
            LogLab each = new LogLab();
            MemoryFiles disk = new MemoryFiles();
            PowerCut.Socket socket = new PowerCut.Socket(cut);
            try {
                AutoLog first = each.machine(socket.plug(HostFiles.class, disk));
                first.refresh();
                first.append(PAUSE, "", "");
                first.append(new Resume(1), "", "");
            } catch (PowerCut e) {
                assertTrue(e.at(socket));
            }
            AutoLog restarted = each.machine(disk);
            reads(restarted);
            while (restarted.charter().tail().slot() < 2) {
                restarted.append(
                        restarted.charter().pause().isPresent() ? new Resume(1) : PAUSE, "", "");
            }

            AutoLog reader = each.person();
            reads(reader);
            assertEquals(
                    List.of(PAUSE, new Resume(1)),
                    reader.entries(1).stream().map(Entry::body).toList(),
                    "cut " + cut);
            assertEquals(reader.charter(), restarted.charter());
        }
    }
}
