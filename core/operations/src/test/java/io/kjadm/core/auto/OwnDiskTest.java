package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Doing;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** What is concluded from the disk that is mounted, and what is not. */
class OwnDiskTest {

    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Path NOTE = Path.of("/var/lib/kjadm/etcd-auto/disk.json");
    private static final String WAL = DATA + "/member/wal/0000000000000000-0000000000000000.wal";
    private static final MachineId OTHER = new MachineId("m-0000000000000002");
    private static final MemberIds IDS = new MemberIds("a655067d30f39934", new MemberId(0x16a1));
    private static final String ROOT = "24 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n";
    private static final String MOUNTED =
            "77 24 254:16 / /var/lib/etcd rw,relatime shared:9 - xfs /dev/vdb rw\n";

    private final MemoryFiles files = new MemoryFiles()
            .withDirectory("/dev/disk/by-uuid")
            .with("/dev/vda1", "")
            .with("/dev/vdb", "")
            .withLink("/dev/disk/by-uuid/11aa", "/dev/vda1")
            .withLink("/dev/disk/by-uuid/22bb", "/dev/vdb");
    private final OwnDisk disk = new OwnDisk(files, NOTE, new SplittableRandom(1));
    private final MemoryFiles machine = new MemoryFiles();
    private final AutoLog log = new LogLab().machine(machine);
    private final MachineId self = LogLab.id(machine);
    private Optional<AutoFacts.Copy> copy = Optional.empty();

    @BeforeEach
    void aMemberServes() {
        mounts(ROOT + MOUNTED);
        disk.begins(DATA, founded(), self, Instant.EPOCH);
        log(IDS, 3, 900);
        note(note -> note.with(IDS).with(new Floor(3, 880)));
    }

    private Charter founded() {
        log.refresh();
        log.append(LogLab.form(self), "", "");
        return log.charter();
    }

    private void note(UnaryOperator<DiskNote> change) {
        DiskNote next = change.apply(disk.note().orElseThrow());
        files.write(NOTE, JournalJson.text(JournalJson.tree(next)), FileMode.OWNER_ONLY);
    }

    private void mounts(String table) {
        files.with("/proc/self/mountinfo", table);
    }

    private void log(MemberIds ids, long term, long index) {
        files.with(
                WAL,
                new WalFile()
                        .startFile(0)
                        .record(
                                1,
                                WalFile.message()
                                        .addField(
                                                1, WalFile.number(ids.memberId().value()))
                                        .addField(
                                                2,
                                                WalFile.number(Long.parseUnsignedLong(
                                                        ids.clusterId(), 16))))
                        .record(
                                WalFile.ENTRY,
                                WalFile.message()
                                        .addField(2, WalFile.number(term))
                                        .addField(3, WalFile.number(index)))
                        .content());
    }

    private Data objection() {
        return disk.objection(self, false, Optional.empty()).orElse(null);
    }

    private void refused(Class<? extends Data> expected) {
        assertInstanceOf(expected, objection());
    }

    @Test
    void theDiskAsItWasLeftIsTheMembers() {
        assertEquals(null, objection());
        assertEquals("UUID=22bb", disk.note().orElseThrow().place().fileSystem());
        assertInstanceOf(DataDirectory.Held.class, new DataDirReader(files).read(DATA));
    }

    @Test
    void theMarkerAloneIsNoData() {
        files.deleteTree(DATA.resolve("member"));
        assertEquals(new DataDirectory.Empty(), new DataDirReader(files).read(DATA));
    }

    /** The directory below the mount is empty, and that says nothing about the disk. */
    @Test
    void aDiskThatIsNotMountedIsNotLost() {
        files.deleteTree(DATA.resolve("member"));
        files.delete(DATA.resolve(DataDirReader.DISK_MARKER));
        mounts(ROOT);
        refused(Data.OtherDisk.class);
    }

    @Test
    void anotherDirectoryOfTheSameFileSystemIsAnotherPlace() {
        mounts(ROOT + MOUNTED.replace(" / /var", " /empty /var"));
        refused(Data.OtherDisk.class);
    }

    @Test
    void anotherNameOfTheDeviceChangesNothing() {
        files.with("/dev/vdc", "").withLink("/dev/disk/by-uuid/22bb", "/dev/vdc");
        mounts(ROOT + MOUNTED.replace("/dev/vdb", "/dev/vdc"));
        assertEquals(null, objection());
    }

    @Test
    void anEmptiedDiskIsLost() {
        files.deleteTree(DATA.resolve("member"));
        refused(Data.Lost.class);
        files.delete(DATA.resolve(DataDirReader.DISK_MARKER));
        refused(Data.Lost.class);
    }

    @Test
    void olderDataAreLost() {
        log(IDS, 3, 880);
        assertEquals(null, objection());
        log(IDS, 3, 879);
        refused(Data.Lost.class);
        log(IDS, 2, 900);
        refused(Data.Lost.class);
    }

    /** etcd was killed after it had written whose log it is. */
    @Test
    void aLogThatHasJustBegunIsNotOlderThanNothing() {
        files.with(WAL, WalFile.of(IDS));
        note(note -> note.with(new Floor(0, 0)));
        assertEquals(null, objection());
    }

    /** The root disk was put back with it, and the store knows more. */
    @Test
    void whatTheStoreKnowsOfTheDataCounts() {
        assertInstanceOf(
                Data.Lost.class,
                disk.objection(self, false, Optional.of(report(IDS.memberId(), 901)))
                        .orElseThrow());
        assertEquals(
                Optional.empty(),
                disk.objection(self, false, Optional.of(report(IDS.memberId(), 900))));
        assertEquals(
                Optional.empty(),
                disk.objection(self, false, Optional.of(report(new MemberId(5), 901))));
    }

    /** The report that is written next knows no more than this machine does. */
    @Test
    void whatTheStoreKnowsOfTheDataIsNotedWhileTheyAreLost() {
        disk.seen(lost(report(IDS.memberId(), 901)), Instant.EPOCH);
        assertEquals(901, disk.floor().index());
        assertInstanceOf(
                Data.Lost.class, disk.objection(self, false, Optional.empty()).orElseThrow());
    }

    /** As a whole, to when its member was a learner: the store knows that it has voted since. */
    @Test
    void aMachineThatIsPutBackToItsJoinIsToldWhatItsMemberHad() {
        MemberIds founder = new MemberIds(
                log.charter().cluster().orElseThrow(),
                log.charter().seat(self).orElseThrow().id());
        note(OwnDiskTest::unknown);
        log(founder, 3, 900);
        MachineReport report = report(founder.memberId(), 901);
        assertInstanceOf(
                Data.Lost.class,
                disk.objection(self, false, Optional.of(report)).orElseThrow());
        disk.seen(lost(report(new MemberId(5), 901)), Instant.EPOCH);
        assertEquals(Optional.empty(), disk.note().orElseThrow().ids());
        disk.seen(lost(report), Instant.EPOCH);
        assertEquals(Optional.of(founder), disk.note().orElseThrow().ids());
        assertInstanceOf(
                Data.Lost.class, disk.objection(self, false, Optional.empty()).orElseThrow());
    }

    private static DiskNote unknown(DiskNote note) {
        return new DiskNote(
                note.uid(),
                note.begun(),
                note.directory(),
                note.disk(),
                note.place(),
                Optional.empty(),
                Optional.empty(),
                Floor.NONE);
    }

    /** The store is silent, so the log does not say yet that it votes. */
    @Test
    void aVoterIsNotedBeforeTheLogSaysThatItVotes() {
        MemberIds joined = new MemberIds(IDS.clusterId(), new MemberId(0x77));
        note(OwnDiskTest::unknown);
        Data held = new Data.Held(1, Optional.of(joined.memberId()));
        disk.seen(
                facts(held, listed(joined.memberId(), true), report(new MemberId(5), 0)),
                Instant.EPOCH);
        assertEquals(Optional.empty(), disk.note().orElseThrow().ids());
        disk.seen(
                facts(held, listed(joined.memberId(), false), report(new MemberId(5), 0)),
                Instant.EPOCH);
        assertEquals(Optional.of(joined), disk.note().orElseThrow().ids());
    }

    private static AutoFacts.EtcdView listed(MemberId id, boolean learner) {
        return answers(id, learner, Map.of());
    }

    private static AutoFacts.EtcdView answers(
            MemberId id, boolean learner, Map<MemberId, MemberStatus> statuses) {
        URI url = URI.create("https://10.0.0.11:2380");
        Member member = new Member(id, "etcd1", List.of(url), List.of(url), learner);
        return new AutoFacts.EtcdView.Answers(
                new EtcdHealth(
                        List.of(member),
                        statuses,
                        statuses.isEmpty() ? Map.of(id, "slow") : Map.of()),
                IDS.clusterId());
    }

    /** The daemon runs on while its machine leaves a cluster and joins, or founds, the next one. */
    @Test
    void whatAFormerMemberHadIsNotExpectedOfTheNextOne() {
        serves(IDS, 7, 5_000, Instant.EPOCH.plusSeconds(10));
        MemberIds next = new MemberIds(IDS.clusterId(), new MemberId(0x78));
        note(note -> unknown(note).with(next));
        serves(next, 3, 12, Instant.EPOCH.plusSeconds(60));
        assertEquals(0, disk.floor().index());
        serves(next, 3, 20, Instant.EPOCH.plusSeconds(120));
        assertEquals(new Floor(3, 12), disk.floor());
    }

    private void serves(MemberIds ids, long term, long index, Instant now) {
        EtcdVersion version = new EtcdVersion(3, 6, 14);
        MemberStatus status = new MemberStatus(
                ids,
                ids.memberId(),
                MemberStatus.Versions.of(version),
                new MemberStatus.Database(0, OptionalLong.empty(), OptionalLong.empty()),
                new MemberStatus.Raft(term, index, index),
                false,
                List.of());
        disk.seen(
                facts(
                        new Data.Held(1, Optional.of(ids.memberId())),
                        answers(ids.memberId(), false, Map.of(ids.memberId(), status)),
                        report(ids.memberId(), 0)),
                now);
    }

    private AutoFacts lost(MachineReport report) {
        return facts(new Data.Lost(""), new AutoFacts.EtcdView.Silent(""), report);
    }

    /** After the next boot the store may not respond. */
    @Test
    void howFarTheDataHaveToBeIsRememberedWhereAnotherMachineMayHaveTheId() {
        copy = Optional.of(new AutoFacts.Copy(false, "it has booted"));
        note(OwnDiskTest::unknown);
        disk.seen(lost(report(IDS.memberId(), 1_000)), Instant.EPOCH);
        assertEquals(Optional.empty(), disk.note().orElseThrow().ids());

        note(note -> note.with(IDS));
        disk.seen(lost(report(IDS.memberId(), 1_000)), Instant.EPOCH);
        assertEquals(new Floor(3, 1_000), disk.floor());
        refused(Data.Lost.class);
    }

    private AutoFacts facts(Data data, AutoFacts.EtcdView etcd, MachineReport report) {
        return new AutoFacts(
                new AutoFacts.Self(
                        self,
                        new Step.Own(
                                "etcd1",
                                "10.0.0.11",
                                log.charter().seed().spec().version(),
                                List.of()),
                        URI.create("https://10.0.0.11:2380"),
                        URI.create("https://10.0.0.11:2379"),
                        new AutoFacts.Backup(
                                new Step.Save("/backups", "age1"), "/backup.identity")),
                new AutoFacts.StoreView.Silent(""),
                log.charter(),
                Map.of(self, new AutoFacts.Seen(report, Duration.ZERO, Duration.ZERO)),
                new AutoFacts.Local(
                        data,
                        UnitState.SKIPPED,
                        AutoFacts.SetUp.JOIN,
                        new Readiness(List.of()),
                        new AutoFacts.Provided(true, true, Optional.empty()),
                        Optional.empty(),
                        new AutoFacts.Stops(Optional.empty(), copy, Optional.empty())),
                etcd,
                new AutoFacts.Memory(
                        Map.of(),
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.empty(),
                        Instant.EPOCH));
    }

    private MachineReport report(MemberId member, long index) {
        return new MachineReport(
                self,
                new Life(1, 1, ""),
                new Known(0, ""),
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

    @Test
    void aLogWithoutItsBeginningIsLost() {
        files.with(WAL, new byte[64]);
        refused(Data.Lost.class);
    }

    @Test
    void dataOfAnotherMemberAreNotTakenForLost() {
        log(new MemberIds(IDS.clusterId(), new MemberId(7)), 3, 900);
        refused(Data.OtherDisk.class);
    }

    @Test
    void theDiskOfAnotherMachineIsRefused() {
        new DiskMarker("d-2", "uid", OTHER, Instant.EPOCH).write(files, DATA);
        refused(Data.OtherDisk.class);
        assertThrows(HostException.class, () -> disk.accept(self, true, Instant.EPOCH));
        assertThrows(HostException.class, () -> disk.accept(self, false, Instant.EPOCH));
    }

    @Test
    void aDiskThatTakesNoWritesIsRefused() {
        mounts(ROOT + MOUNTED.replace(" rw,relatime", " ro,relatime"));
        refused(Data.OtherDisk.class);
    }

    @Test
    void dataOfARunningEtcdAreNotRead() {
        files.deleteTree(DATA.resolve("member"));
        assertEquals(Optional.empty(), disk.objection(self, true, Optional.empty()));
    }

    @Test
    void aNewMemberDoesNotStartOnTheDataOfTheFormerOne() {
        note(note -> new DiskNote(
                note.uid(),
                "slot 7",
                note.directory(),
                note.disk(),
                note.place(),
                Optional.empty(),
                Optional.of(IDS.memberId()),
                Floor.NONE));
        refused(Data.Lost.class);
        files.deleteTree(DATA.resolve("member"));
        assertEquals(null, objection());
    }

    @Test
    void aCommandThatIsResumedKeepsTheDisk() {
        DiskNote before = disk.note().orElseThrow();
        disk.begins(DATA, log.charter(), self, Instant.EPOCH);
        assertEquals(before, disk.note().orElseThrow());
    }

    /** The member before was cleared; its mark is on the disk, and the next one's is not yet. */
    @Test
    void aMachineThatWasKilledBeforeItMarkedItsDiskResumes() {
        files.deleteTree(DATA.resolve("member"));
        note(note -> new DiskNote(
                note.uid(),
                "slot 7",
                note.directory(),
                "d-2",
                note.place(),
                Optional.empty(),
                Optional.of(IDS.memberId()),
                Floor.NONE));
        assertEquals(null, objection());
        note(note -> note.with(IDS));
        refused(Data.OtherDisk.class);
        note(OwnDiskTest::unknown);
        log(IDS, 3, 900);
        refused(Data.OtherDisk.class);
    }

    @Test
    void anotherMemberBeginsWithAnotherDisk() {
        note(note -> new DiskNote(
                note.uid(),
                "slot 7",
                note.directory(),
                note.disk(),
                note.place(),
                note.ids(),
                note.previous(),
                note.floor()));
        DiskNote before = disk.note().orElseThrow();
        disk.begins(DATA, log.charter(), self, Instant.EPOCH);
        DiskNote after = disk.note().orElseThrow();
        assertNotEquals(before.disk(), after.disk());
        assertEquals(Optional.of(IDS.memberId()), after.previous());
        assertEquals(Floor.NONE, after.floor());
        refused(Data.Lost.class);
    }

    @Test
    void aCopyOnAnotherDiskIsAcceptedByAPerson() {
        mounts(ROOT);
        refused(Data.OtherDisk.class);
        disk.accept(self, false, Instant.EPOCH);
        assertEquals(null, objection());
    }

    @Test
    void anOlderCopyIsNotAccepted() {
        mounts(ROOT);
        log(IDS, 3, 100);
        assertThrows(HostException.class, () -> disk.accept(self, false, Instant.EPOCH));
        assertThrows(HostException.class, () -> disk.accept(self, true, Instant.EPOCH));
        refused(Data.OtherDisk.class);
    }

    @Test
    void aDiskThatIsGoneIsLostByAPersonsWord() {
        mounts(ROOT);
        files.deleteTree(DATA.resolve("member"));
        files.delete(DATA.resolve(DataDirReader.DISK_MARKER));
        assertThrows(HostException.class, () -> disk.accept(self, false, Instant.EPOCH));
        refused(Data.OtherDisk.class);
        disk.accept(self, true, Instant.EPOCH);
        refused(Data.Lost.class);
    }

    @Test
    void aMachineWithoutAMemberHasNoDisk() {
        files.delete(NOTE);
        assertEquals(Optional.empty(), disk.objection(self, false, Optional.empty()));
        assertThrows(HostException.class, () -> disk.accept(self, false, Instant.EPOCH));
    }
}
