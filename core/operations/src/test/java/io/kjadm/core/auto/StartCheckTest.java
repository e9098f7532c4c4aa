package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Mutates;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** The check before each start of etcd, on a machine that has founded a cluster. */
class StartCheckTest {

    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Path NOTE = LogLab.STATE.resolve("disk.json");
    private static final String TABLE = "/proc/self/mountinfo";
    private static final String ROOT = "24 1 254:1 / / rw shared:1 - ext4 /dev/vda1 rw\n";

    private final LogLab lab = new LogLab();
    private final MemoryFiles files = new MemoryFiles().with(TABLE, ROOT);
    private final AutoLog log = lab.machine(files);

    @BeforeEach
    void aMemberWasBegun() {
        AutoMemory memory = memory();
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        memory.begins(1);
        disk().begins(DATA, log.charter(), memory.id(), Instant.EPOCH);
    }

    private AutoMemory memory() {
        return AutoMemory.of(files, LogLab.STATE);
    }

    private OwnDisk disk() {
        return new OwnDisk(files, NOTE, lab.random);
    }

    /** As a program that lives for a moment. */
    private Optional<WaitCode> refusal() {
        StartCheck check = new StartCheck(memory(), lab.token, disk(), lab.waiter);
        return check.refusal(check.ask(lab.store, lab.random)).map(Wait::code);
    }

    @Test
    void aMemberOfTheLogStarts() {
        assertEquals(Optional.empty(), refusal());
    }

    @Test
    void theStoreIsNotNeeded() {
        lab.store.down = true;
        assertEquals(Optional.empty(), refusal());
        files.with(TABLE, ROOT.replace(" / / ", " /other / "));
        assertEquals(Optional.of(WaitCode.DISK), refusal());
    }

    /** It was put back to a join that others have taken back, and has joined again since. */
    @Test
    void dataOfAMemberThatTheLogDoesNotListAreRefused() {
        String wal = DATA + "/member/wal/0000000000000000-0000000000000000.wal";
        long cluster = Long.parseUnsignedLong(log.charter().cluster().orElseThrow(), 16);
        files.with(wal, of(0x77, cluster));
        assertEquals(Optional.of(WaitCode.FOREIGN), refusal());
        files.with(wal, of(log.charter().voters().getFirst().id().value(), cluster));
        assertEquals(Optional.empty(), refusal());
    }

    private static byte[] of(long member, long cluster) {
        return new WalFile()
                .startFile(0)
                .record(
                        1,
                        WalFile.message()
                                .addField(1, WalFile.number(member))
                                .addField(2, WalFile.number(cluster)))
                .record(
                        WalFile.ENTRY,
                        WalFile.message()
                                .addField(2, WalFile.number(1))
                                .addField(3, WalFile.number(4)))
                .content();
    }

    @Test
    void anotherDiskIsRefused() {
        files.with(TABLE, ROOT + "77 24 254:16 / /var/lib/etcd rw - tmpfs none rw\n");
        assertEquals(Optional.of(WaitCode.DISK), refusal());
    }

    @Test
    void whatTheStoreTellsCountsBeforeWhatIsRemembered() {
        AutoLog other = lab.machine(new MemoryFiles());
        other.refresh();
        other.append(new Abandon(1), "", "");
        lab.store.down = true;
        assertEquals(Optional.empty(), refusal());
        lab.store.down = false;
        assertEquals(Optional.of(WaitCode.FENCE), refusal());
    }

    @Test
    void aMachineWhoseLaterStartIsInTheStoreIsACopyOrWasPutBack() {
        log.reports().write(LogLab.report(memory().id(), 2, 1, new Known(1, "")));
        lab.store.down = true;
        assertEquals(Optional.empty(), refusal());
        lab.store.down = false;
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
    }

    /** The daemon, which remembers it too, may not have read it yet. */
    @Test
    void whatTheStoreRefusedOnceIsRefusedUntilItRespondsAgain() {
        log.reports().write(LogLab.report(memory().id(), 2, 1, new Known(1, "")));
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
        lab.store.down = true;
        assertEquals(Optional.of(WaitCode.CLONE), refusal());

        lab.store.down = false;
        log.reports().write(LogLab.report(memory().id(), 1, 2, new Known(1, "")));
        assertEquals(Optional.empty(), refusal());
        lab.store.down = true;
        assertEquals(Optional.empty(), refusal());
    }

    /** A machine that was put back as a whole is known by its report, whatever became of the log. */
    @Test
    void theReportOfAMachineCountsWithoutTheLog() {
        log.reports().write(LogLab.report(memory().id(), 2, 1, new Known(1, "")));
        lab.store.delete(AutoObjects.entry(1));
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
        lab.store.down = true;
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
    }

    /** It has watched for long enough that no other machine has its ID; nobody repairs the log. */
    @Test
    void aMachineThatIsTheOnlyOneAgainStartsWithoutTheLog() {
        log.reports().write(LogLab.report(memory().id(), 2, 1, new Known(1, "")));
        lab.store.delete(AutoObjects.entry(1));
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
        memory().only("a boot", 2);
        assertEquals(Optional.empty(), refusal());
        lab.store.down = true;
        assertEquals(Optional.empty(), refusal());
    }

    /** The log and the reports were put back, with what told how far the data were. */
    @Test
    void lostDataStayLostWhereTheReportIsOlderAndTheLogCannotBeUsed() {
        MemberId member = log.charter().voters().getFirst().id();
        files.with(
                DATA + "/member/wal/0000000000000000-0000000000000000.wal",
                of(
                        member.value(),
                        Long.parseUnsignedLong(log.charter().cluster().orElseThrow(), 16)));
        log.reports().write(report(1, member, new Floor(1, 3)));
        byte[] older = lab.memory.objects.get(AutoObjects.report(memory().id()));
        assertEquals(Optional.empty(), refusal());
        log.reports().write(report(2, member, new Floor(1, 9)));
        assertEquals(Optional.of(WaitCode.LOST), refusal());

        lab.store.delete(AutoObjects.entry(1));
        lab.memory.objects.put(AutoObjects.report(memory().id()), older);
        assertEquals(Optional.of(WaitCode.LOST), refusal());
    }

    private MachineReport report(long beat, MemberId member, Floor floor) {
        MachineReport any = LogLab.report(memory().id(), 1, beat, new Known(1, ""));
        return new MachineReport(
                any.id(),
                any.life(),
                any.known(),
                new OfEtcd("etcd1", "10.0.0.11", UnitState.ACTIVE, Optional.of(member), 0, floor),
                any.ready(),
                any.doing());
    }

    @Test
    void whatTheLogRefusedIsRefusedUntilItCanBeUsed() {
        MemoryFiles elsewhere = new MemoryFiles();
        AutoLog other = lab.machine(elsewhere);
        other.refresh();
        other.append(new Abandon(1), "", "");
        assertEquals(Optional.of(WaitCode.FENCE), refusal());
        other.reports()
                .write(LogLab.report(LogLab.id(elsewhere), 1, 1, other.charter().tail()));
        log.reports().write(LogLab.report(memory().id(), 2, 1, new Known(1, "")));
        byte[] abandoned = lab.object(2);
        lab.store.delete(AutoObjects.entry(2));
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
        memory().only("a boot", 2);
        assertEquals(Optional.of(WaitCode.FENCE), refusal());
        lab.memory.objects.put(AutoObjects.entry(2), abandoned);
        assertEquals(Optional.of(WaitCode.FENCE), refusal());
    }

    /** It did not need the store to be refused, and does not need it to start. */
    @Test
    void aDiskThatIsMountedLateIsRefusedNoLongerThanItIsMissing() {
        String other = ROOT + "77 24 254:16 / /var/lib/etcd rw - tmpfs none rw\n";
        files.with(TABLE, other);
        assertEquals(Optional.of(WaitCode.DISK), refusal());
        lab.store.down = true;
        files.with(TABLE, ROOT);
        assertEquals(Optional.empty(), refusal());

        lab.store.down = false;
        log.reports().write(LogLab.report(memory().id(), 2, 1, new Known(1, "")));
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
        files.with(TABLE, other);
        refusal();
        lab.store.down = true;
        files.with(TABLE, ROOT);
        assertEquals(Optional.of(WaitCode.CLONE), refusal(), "what the store told still holds");
    }

    @Test
    void aDiskThatIsFullHidesNoRefusal() {
        log.reports().write(LogLab.report(memory().id(), 2, 1, new Known(1, "")));
        HostFiles disk = (HostFiles) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HostFiles.class},
                (proxy, method, arguments) -> {
                    if (method.isAnnotationPresent(Mutates.class)) {
                        throw new HostException("cannot write", "No space left on device", "");
                    }
                    return method.invoke(files, arguments);
                });
        OwnDisk full = new OwnDisk(disk, NOTE, lab.random);
        StartCheck check = new StartCheck(memory(), lab.token, full, lab.waiter);
        assertEquals(
                Optional.of(WaitCode.CLONE),
                check.refusal(check.ask(lab.store, lab.random)).map(Wait::code));
    }

    @Test
    void whatWasRefusedOfAFormerMemberIsNotRefusedOfTheNextOne() {
        log.reports().write(LogLab.report(memory().id(), 2, 1, new Known(1, "")));
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
        lab.store.down = true;
        files.with(
                NOTE.toString(),
                files.text(NOTE.toString()).replace("generation 1", "generation 2"));
        assertEquals(Optional.empty(), refusal());
    }

    @Test
    void aRefusalThatCannotBeReadIsNotPassedOver() {
        files.with(NOTE.resolveSibling("start-refused.json").toString(), "{");
        lab.store.down = true;
        assertThrows(HostException.class, this::refusal);
        lab.store.down = false;
        assertEquals(Optional.empty(), refusal());
        lab.store.down = true;
        assertEquals(Optional.empty(), refusal());
    }

    @Test
    void aKnownCopyIsRefusedWithoutTheStore() {
        memory().copied(true);
        lab.store.down = true;
        assertEquals(Optional.of(WaitCode.CLONE), refusal());
    }

    @Test
    void aMachineThatRemembersNothingIsRefused() {
        files.delete(NOTE);
        assertEquals(Optional.of(WaitCode.DISK), refusal());
        files.delete(LogLab.STATE.resolve("identity.json"));
        StartCheck check = new StartCheck(memory(), lab.token, disk(), lab.waiter);
        assertThrows(HostException.class, () -> check.refusal(Optional.empty()));
    }

    @Test
    void aDamagedNoteIsRefused() {
        files.with(NOTE.toString(), "{");
        assertThrows(HostException.class, this::refusal);
    }

    @Test
    void theDiskOfAnotherMachineIsRefused() {
        files.with(
                DATA.resolve(DataDirReader.DISK_MARKER).toString(),
                "{\"id\":\"d-1\",\"uid\":\"x\",\"machine\":\"m-0000000000000009\",\"created\":\"2026-11-26T10:24:59Z\"}");
        assertEquals(Optional.of(WaitCode.DISK), refusal());
    }
}
