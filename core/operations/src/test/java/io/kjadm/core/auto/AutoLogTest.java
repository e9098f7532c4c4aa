package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.auto.AutoLog.Appended;
import io.kjadm.core.auto.FlakyStore.Fate;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.AutoFacts.Youth;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.StoreUrl;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

class AutoLogTest {

    private static final Pause PAUSE = LogLab.pause("night");

    private final LogLab lab = new LogLab();
    private final MemoryFiles here = new MemoryFiles();
    private final AutoLog log = lab.machine(here);

    private static void reads(AutoLog log) {
        assertInstanceOf(StoreView.Answers.class, log.refresh());
    }

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

    private Appended append(AutoLog writer, EntryBody body) {
        return writer.append(body, "why", "a command");
    }

    private static Optional<EntryBody> paused(AutoLog log) {
        return log.charter().pause().map(Open::body);
    }

    private byte[] pending() {
        return here.readBytes(LogLab.STATE.resolve("log/pending")).orElse(new byte[0]);
    }

    private void pass(Duration time) {
        lab.waiter.pause("", "", time);
    }

    /** With entries at slots 1 to that one. */
    private void written(int slots) {
        AutoLog person = lab.person();
        reads(person);
        for (int slot = 1; slot <= slots; slot++) {
            EntryBody body = slot % 2 == 1 ? PAUSE : new Resume(slot - 1);
            assertEquals(Appended.WRITTEN, append(person, body));
        }
    }

    /** Something else may be at the place of a folder when it is not mounted any more. */
    @Test
    void aFolderThatIsNotMountedAnyMoreIsNoStore() {
        MemoryStore folder = new MemoryStore();
        folder.location = StoreUrl.parse("/mnt/store");
        folder.clock = lab.waiter::now;
        MemoryFiles operator = new MemoryFiles();
        new ClusterSeed(folder, operator, lab.waiter, lab.random)
                .seed(
                        new ClusterSeed.Wanted("etcd", LogLab.wanted().spec(), "/mnt/store"),
                        LogLab.TOKEN);
        AutoLog log = AutoLog.open(
                folder,
                AutoToken.read(operator, LogLab.TOKEN),
                AutoMemory.none(),
                lab.waiter,
                lab.random);
        reads(log);
        assertEquals(Appended.WRITTEN, append(log, PAUSE));
        var mounted = new TreeMap<>(folder.objects);
        folder.objects.clear();
        assertInstanceOf(StoreView.Silent.class, log.refresh());
        folder.objects.putAll(mounted);
        reads(log);
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

    @Test
    void whatOneWritesAllRead() {
        reads(log);
        assertEquals(Appended.WRITTEN, append(log, LogLab.form(LogLab.id(here))));
        AutoLog other = lab.machine(new MemoryFiles());
        reads(other);
        assertEquals(Appended.WRITTEN, append(other, PAUSE));

        reads(log);

        assertEquals(Phase.FORMING, log.charter().phase());
        assertEquals(Optional.of(PAUSE), paused(log));
        assertEquals(other.charter(), log.charter());
        assertEquals(2, log.charter().tail().slot());
        assertEquals(AutoObjects.hash(lab.object(2)), log.charter().tail().hash());
        Entry first = log.entries(1).getFirst();
        assertEquals(Optional.of(LogLab.id(here)), first.author().machine());
        assertEquals(1, first.author().run());
        assertEquals("why", first.why());
        assertEquals("a command", first.command());
        assertEquals(1, log.entries(2).size());
        assertEquals(0, pending().length);
        assertEquals("", log.trouble());
    }

    @Test
    void aPersonWritesWithoutAMemory() {
        AutoLog person = lab.person();
        reads(person);

        assertEquals(Appended.WRITTEN, append(person, PAUSE));

        reads(log);
        assertEquals(Optional.empty(), log.entries(1).getFirst().author().machine());
        assertEquals(Optional.of(PAUSE), paused(log));
    }

    @Test
    void ofTwoWhoWriteToOneSlotOneHasLost() {
        AutoLog other = lab.machine(new MemoryFiles());
        reads(log);
        reads(other);
        assertEquals(Appended.WRITTEN, append(other, LogLab.pause("other")));

        assertEquals(Appended.LOST, append(log, PAUSE));

        assertEquals(Optional.of(LogLab.pause("other")), paused(log));
        assertEquals(0, pending().length);
        assertEquals(1, log.charter().tail().slot());
    }

    @Test
    void whatWouldBeVoidIsNotWritten() {
        reads(log);
        lab.store.puts = 0;

        assertThrows(IllegalArgumentException.class, () -> append(log, new Resume(1)));

        assertEquals(0, lab.store.puts);
        assertEquals(0, pending().length);
    }

    @Test
    void withoutALookNothingIsWritten() {
        assertThrows(IllegalStateException.class, () -> append(log, PAUSE));
    }

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

    @ParameterizedTest
    @ValueSource(strings = {"", "junk", "{}\n{}\n"})
    void junkTakesASlotAndStopsNothing(String junk) {
        reads(log);
        lab.memory.put(AutoObjects.entry(1), junk.getBytes(StandardCharsets.UTF_8));

        assertEquals(Appended.LOST, append(log, PAUSE));
        assertEquals(Appended.WRITTEN, append(log, PAUSE));

        AutoLog other = lab.machine(new MemoryFiles());
        reads(other);
        assertEquals(2, other.charter().tail().slot());
        assertEquals(Optional.of(PAUSE), paused(other));
        assertEquals(1, other.entries(1).size());
        assertEquals(log.charter(), lab.machine(here).charter());
    }

    @Test
    void largeJunkTakesASlotToo() {
        lab.memory.put(AutoObjects.entry(1), new byte[AuthenticJson.LIMIT + 1]);

        reads(log);

        assertEquals(1, log.charter().tail().slot());
        assertEquals(Appended.WRITTEN, append(log, PAUSE));
    }

    @Test
    void withoutTheStoreTheLogIsWhatTheMachineRemembers() {
        written(3);
        reads(log);
        Charter known = log.charter();
        lab.store.down = true;

        AutoLog restarted = lab.machine(here);

        assertInstanceOf(StoreView.Silent.class, restarted.refresh());
        assertInstanceOf(StoreView.Silent.class, log.refresh());
        assertEquals(known, restarted.charter());
        assertEquals(known, log.charter());
        assertEquals(3, restarted.entries(1).size());
        assertEquals(lab.cluster, restarted.cluster().orElseThrow());
        lab.store.down = false;
        reads(restarted);
        assertEquals(known, restarted.charter());
    }

    @Test
    void withoutTheStoreNothingIsWritten() {
        reads(log);
        lab.store.down = true;

        assertEquals(Appended.UNSETTLED, append(log, PAUSE));

        assertEquals(0, pending().length);
        assertEquals("cannot use the store: it is down", log.trouble());
    }

    @Test
    void aStoreWithoutAClusterFileIsNotSeeded() {
        lab.memory.objects.clear();
        assertEquals(new StoreView.NotSeeded(), log.refresh());
        assertEquals(Phase.NONE, log.charter().phase());
        assertEquals(Optional.empty(), log.cluster());
    }

    @Test
    void anotherClusterFileIsNotTheTokens() {
        byte[] other = lab.cluster.bytes();
        other[30] ^= 1;
        lab.memory.replace(AutoObjects.CLUSTER, other);
        assertEquals(new StoreView.OtherToken(), log.refresh());
    }

    /** It looks the same as a folder that is not mounted yet, so it is looked at again. */
    @Test
    void aStoreWithoutItsClusterFileIsNotAvailable() {
        reads(log);
        byte[] file = lab.memory.objects.remove(AutoObjects.CLUSTER);
        AutoLog restarted = lab.machine(here);
        assertInstanceOf(StoreView.Silent.class, restarted.refresh());

        lab.memory.objects.put(AutoObjects.CLUSTER, file);

        reads(restarted);
    }

    @Test
    void aMachineOfAnotherClusterIsRefused() {
        reads(log);
        LogLab other = new LogLab();
        AutoToken token = AutoToken.of(new byte[1], other.random);

        assertThrows(
                HostException.class,
                () -> AutoLog.open(
                        other.store,
                        token,
                        AutoMemory.of(here, LogLab.STATE),
                        other.waiter,
                        other.random));
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

    @Test
    void theAgeOfTheClusterFileIsThatOfTheStoresClock() {
        assertEquals(new Youth(Duration.ofDays(36_500), Duration.ZERO, 0), youth());
        log.reports().read();
        pass(Duration.ofMinutes(5));
        log.reports().write(LogLab.report(LogLab.id(here), 1, 1, log.charter().tail()));
        log.reports().read();
        pass(Duration.ofMinutes(1));

        assertEquals(new Youth(Duration.ofMinutes(5), Duration.ofMinutes(5), 0), youth());
    }

    private Youth youth() {
        return assertInstanceOf(StoreView.Answers.class, log.refresh()).youth();
    }

    @Test
    void theHighestSlotOfAnyReportIsTold() {
        written(3);
        reads(log);
        List<Known> known = new ArrayList<>();
        for (long slot : new long[] {3, 1}) {
            known.add(new Known(slot, AutoObjects.hash(lab.object(slot))));
        }
        log.reports().write(LogLab.report(LogLab.id(here), 1, 1, known.getFirst()));
        log.reports().read();
        log.reports().write(LogLab.report(LogLab.id(here), 1, 2, known.getLast()));
        log.reports().read();

        assertEquals(3, youth().newest());
    }
}
