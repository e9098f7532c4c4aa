package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.host.JsonInput;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Doing;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.store.StoreException;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class MachineReportsTest {

    private static final Known KNOWN = new Known(0, "e02b");
    private static final MachineId OTHER = new MachineId("m-0000000000000002");

    private final LogLab lab = new LogLab();
    private final MemoryFiles here = new MemoryFiles();
    private final MachineReports reports = lab.machine(here).reports();
    private final MachineId self = LogLab.id(here);

    private void pass(Duration time) {
        lab.waiter.pause("", "", time);
    }

    private void write(MachineId id, long run, long beat) {
        reports.write(LogLab.report(id, run, beat, KNOWN));
    }

    private static MachineReport full(Optional<WaitCode> code) {
        return new MachineReport(
                OTHER,
                new Life(4, 811, "kjadm 0.1.0"),
                new Known(17, "e02b"),
                new OfEtcd(
                        "etcd1",
                        "10.0.0.11",
                        UnitState.FAILED,
                        Optional.of(new MemberId(-3)),
                        2,
                        new Floor(7, 81_002)),
                new Readiness(List.of("systemd does not run")),
                new Doing(Optional.of("kjadm etcd init"), code, "3 machines are ready"));
    }

    @Test
    void aReportIsReadAsItWasWritten() {
        MachineReport report = full(Optional.of(WaitCode.SPARE));
        reports.write(report);

        assertEquals(report, reports.read().get(OTHER).report());
    }

    /** The daemon reports while a command runs, and does not look at the store then. */
    @Test
    void nothingIsWrittenWhereTheFolderIsNotMountedAnyMore() {
        write(self, 1, 1);
        Map<String, byte[]> mounted = Map.copyOf(lab.memory.objects);
        lab.memory.objects.clear();
        assertThrows(StoreException.class, () -> write(self, 1, 2));
        assertEquals(Map.of(), lab.memory.objects);
        lab.memory.objects.putAll(mounted);
        lab.memory.objects.remove(AutoObjects.report(self));
        write(self, 1, 3);
        assertTrue(lab.memory.objects.containsKey(AutoObjects.report(self)));
    }

    /** It is refused by what the store tells, and may write before it has read that. */
    @Test
    void aMachineThatWasPutBackDoesNotTakeBackHowFarItsDataWere() {
        reports.write(ofMember(new MemberId(7), 1, 1, 900));
        MachineReports again = lab.machine(here).reports();
        again.write(ofMember(new MemberId(7), 2, 1, 500));
        assertEquals(new Floor(3, 900), stored());
        again.write(ofMember(new MemberId(8), 2, 2, 20));
        assertEquals(new Floor(3, 20), stored(), "it is another member's");
    }

    /** What was deleted of the log since could be founded on otherwise, once it has started again. */
    @Test
    void aMachineThatWasPutBackDoesNotTakeBackWhatItHasRead() {
        reports.write(LogLab.report(self, 1, 1, new Known(17, "e02b")));
        MachineReports again = lab.machine(here).reports();
        again.write(LogLab.report(self, 2, 1, new Known(16, "77aa")));
        assertEquals(new Known(17, "e02b"), known());
        again.write(LogLab.report(self, 2, 2, new Known(17, "0000")));
        assertEquals(new Known(17, "e02b"), known(), "it was replaced");
        again.write(LogLab.report(self, 2, 3, new Known(18, "1111")));
        assertEquals(new Known(18, "1111"), known());
    }

    private Known known() {
        return lab.machine(new MemoryFiles())
                .reports()
                .read()
                .get(self)
                .report()
                .known();
    }

    private MachineReport ofMember(MemberId member, long run, long beat, long index) {
        return new MachineReport(
                self,
                new Life(run, beat, ""),
                KNOWN,
                new OfEtcd(
                        "etcd1",
                        "10.0.0.11",
                        UnitState.ACTIVE,
                        Optional.of(member),
                        1,
                        new Floor(3, index)),
                new Readiness(List.of()),
                new Doing(Optional.empty(), Optional.empty(), ""));
    }

    private Floor stored() {
        return lab.machine(new MemoryFiles())
                .reports()
                .read()
                .get(self)
                .report()
                .member()
                .floor();
    }

    /** A newer program may wait for what this one does not know. */
    @Test
    void aCodeThatIsNotKnownIsLeftOut() throws Exception {
        String key = AutoObjects.report(OTHER);
        String line = new String(
                        new ReportJson(lab.token).write(full(Optional.of(WaitCode.SPARE))),
                        StandardCharsets.UTF_8)
                .lines()
                .toList()
                .getFirst();
        ObjectNode node = (ObjectNode) JsonInput.tree(line.replace("SPARE", "ECLIPSE"));
        lab.memory.replace(key, new AuthenticJson(lab.token).write(key, node));

        assertEquals(full(Optional.empty()), reports.read().get(OTHER).report());
    }

    @Test
    void agesAreThoseOfTheStoresClock() {
        Instant start = lab.waiter.now();
        write(OTHER, 1, 1);
        pass(Duration.ofSeconds(20));
        write(self, 1, 1);
        // the store's clock is an hour behind this machine's from the first to the last
        lab.memory.times.replaceAll((key, time) -> time.minus(Duration.ofHours(1)));

        Map<MachineId, Seen> seen = reports.read();

        assertEquals(Duration.ofSeconds(20), seen.get(OTHER).age());
        assertEquals(Duration.ZERO, seen.get(self).age());
        assertEquals(Duration.ofSeconds(20), Duration.between(start, lab.waiter.now()));
    }

    /** Otherwise no quorum could be given up after all daemons have ended. */
    @Test
    void aPersonLearnsTheStoresTime() {
        write(OTHER, 1, 1);
        pass(Duration.ofMinutes(5));
        MachineReports person = lab.person().reports();
        assertEquals(Duration.ZERO, person.read().get(OTHER).age());
        Set<String> before = Set.copyOf(lab.memory.objects.keySet());

        person.learnTime();

        assertEquals(Duration.ofMinutes(5), person.read().get(OTHER).age());
        assertEquals(before, Set.copyOf(lab.memory.objects.keySet()));
    }

    /** It may have no right to write to the store. */
    @Test
    void whoOnlyLooksTakesTheLaterOfTwoClocks() {
        write(OTHER, 1, 1);
        pass(Duration.ofMinutes(5));
        MachineReports person = lab.person().reports();
        Set<String> before = Set.copyOf(lab.memory.objects.keySet());

        assertEquals(Duration.ofMinutes(5), person.readByClock().get(OTHER).age());
        assertEquals(before, Set.copyOf(lab.memory.objects.keySet()));

        // a clock that is behind
        pass(Duration.ofMinutes(-10));
        assertEquals(
                Duration.ZERO, lab.person().reports().readByClock().get(OTHER).age());
    }

    @Test
    void aBeatThatStandsIsTimedByThisMachine() {
        write(OTHER, 1, 1);
        reports.read();
        pass(Duration.ofSeconds(20));
        write(OTHER, 1, 1);
        assertEquals(Duration.ofSeconds(20), reports.read().get(OTHER).still());

        write(OTHER, 1, 2);

        assertEquals(Duration.ZERO, reports.read().get(OTHER).still());
    }

    @Test
    void anOlderReportIsPassedOver() {
        write(OTHER, 2, 5);
        byte[] older = lab.memory.objects.get(AutoObjects.report(OTHER));
        write(OTHER, 3, 1);
        reports.read();

        pass(Duration.ofSeconds(20));
        lab.memory.replace(AutoObjects.report(OTHER), older);

        Seen seen = reports.read().get(OTHER);
        assertEquals(3, seen.report().life().run());
        assertEquals(Duration.ofSeconds(20), seen.still());
    }

    @Test
    void whatNoMachineHasWrittenIsLeftOut() {
        write(self, 1, 1);
        byte[] own = lab.memory.objects.get(AutoObjects.report(self));
        lab.memory.put(AutoObjects.report(OTHER), own);
        lab.memory.put(AutoObjects.MACHINES + "m-0000000000000003.json", new byte[70_000]);
        lab.memory.put(AutoObjects.MACHINES + "m-0000000000000004.json", new byte[3]);
        lab.memory.put(AutoObjects.MACHINES + "readme.txt", new byte[3]);

        assertEquals(Set.of(self), reports.read().keySet());
    }

    @Test
    void aReportThatWasRemovedIsGone() {
        write(OTHER, 1, 1);
        reports.read();
        lab.memory.delete(AutoObjects.report(OTHER));

        assertEquals(Map.of(), reports.read());
    }

    @Test
    void whenAReportVanishesTheWatchBeginsAgain() {
        write(OTHER, 1, 1);
        reports.read();
        pass(Duration.ofSeconds(40));
        reports.read();
        assertEquals(Duration.ofSeconds(40), reports.watched());
        lab.memory.delete(AutoObjects.report(OTHER));
        reports.read();
        pass(Duration.ofSeconds(10));
        reports.read();

        assertEquals(Duration.ofSeconds(10), reports.watched());
    }

    /** The store was put back: a log that is empty now may have been written since. */
    @Test
    void whenAReportIsOlderThanItWasTheWatchBeginsAgain() {
        write(self, 1, 1);
        write(OTHER, 1, 1);
        byte[] old = lab.memory.objects.get(AutoObjects.report(OTHER));
        lab.machine(new MemoryFiles()).reports().write(LogLab.report(OTHER, 2, 1, KNOWN));
        reports.read();
        pass(Duration.ofSeconds(40));
        reports.read();
        Instant seeded = lab.waiter.now().minus(Duration.ofMinutes(5));
        assertEquals(Duration.ofSeconds(40), reports.youth(seeded).watched());

        lab.memory.replace(AutoObjects.report(OTHER), old);
        reports.read();
        pass(Duration.ofSeconds(10));
        reports.read();

        assertEquals(Duration.ofSeconds(10), reports.youth(seeded).watched());
        assertTrue(
                reports.youth(seeded).sinceSeed().compareTo(Duration.ofHours(1)) > 0,
                "the store may be as old as any");
    }

    @Test
    void withoutTheStoreReportsGrowOld() {
        write(OTHER, 1, 1);
        write(self, 1, 1);
        reports.read();
        lab.store.down = true;
        pass(Duration.ofSeconds(40));

        Seen seen = reports.read().get(OTHER);

        assertEquals(Duration.ofSeconds(40), seen.age());
        assertEquals(Duration.ofSeconds(40), seen.still());
        assertEquals(Duration.ZERO, reports.watched());
    }
}
