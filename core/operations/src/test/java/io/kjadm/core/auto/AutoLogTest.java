package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.auto.AutoLog.Appended;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.AutoFacts.Youth;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.StoreUrl;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

class AutoLogTest extends AutoLogScene {

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
