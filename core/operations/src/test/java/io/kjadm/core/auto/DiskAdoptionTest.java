package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.auto.DiskAdoption.Refused;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.EntryBody.Source;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Doing;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Known;
import io.kjadm.etcd.auto.MachineReport.Life;
import io.kjadm.etcd.auto.MachineReport.OfEtcd;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.UnitState;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A machine with the data disk of another one takes its place, or is refused. */
class DiskAdoptionTest {

    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Path NOTE = Path.of("/var/lib/kjadm/etcd-auto/disk.json");
    private static final String WAL = DATA + "/member/wal/0000000000000000-0000000000000000.wal";
    private static final String TABLE = "/proc/self/mountinfo";
    private static final String DISK = "24 1 254:16 / / rw - xfs /dev/vdb rw\n";
    private static final URI PEER = URI.create("https://10.0.0.11:2380");
    private static final Duration SILENT = Duration.ofSeconds(160);

    private final LogLab lab = new LogLab();
    /** The machine that is gone. */
    private final MemoryFiles before = new MemoryFiles().with(TABLE, DISK);

    private final AutoLog log = lab.machine(before);
    private final MachineId gone = LogLab.id(before);
    /** The machine that has its disk. */
    private final MemoryFiles files = new MemoryFiles().with(TABLE, DISK);

    private String cluster = "";
    private MemberId member = MemberId.NONE;

    @BeforeEach
    void aMachineIsGone() {
        log.refresh();
        log.append(LogLab.form(gone), "", "");
        new OwnDisk(before, NOTE, lab.random).begins(DATA, log.charter(), gone, Instant.EPOCH);
        cluster = log.charter().cluster().orElseThrow();
        member = log.charter().voters().getFirst().id();
        log.append(new Observed(List.of(log.charter().voters().getFirst(), LogLab.OTHER)), "", "");
        log.append(new Ready(1), "", "");
        reports(4, Optional.of(member), new Floor(3, 880));
        lab.waiter.pause("", "", SILENT);
        files.with(
                DATA.resolve(".kjadm-disk").toString(),
                before.text(DATA.resolve(".kjadm-disk").toString()));
        log(member, 3, 900);
    }

    private void reports(long run, Optional<MemberId> id, Floor floor) {
        log.reports()
                .write(new MachineReport(
                        gone,
                        new Life(run, 1, "kjadm test"),
                        new Known(
                                log.charter().tail().slot(),
                                log.charter().tail().hash()),
                        new OfEtcd("etcd1", "10.0.0.11", UnitState.ACTIVE, id, 1, floor),
                        new Readiness(List.of()),
                        new Doing(Optional.empty(), Optional.empty(), "")));
    }

    private void log(MemberId id, long term, long index) {
        files.with(WAL, WalText.of(id.value(), Long.parseUnsignedLong(cluster, 16), term, index));
    }

    private OwnDisk disk() {
        return new OwnDisk(files, NOTE, lab.random);
    }

    private DiskAdoption.Adopted adopt(URI peerUrl) {
        AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
        return new DiskAdoption(
                        AutoLog.open(lab.store, lab.token, memory, lab.waiter, lab.random),
                        memory,
                        files,
                        disk(),
                        DATA)
                .adopt(peerUrl);
    }

    /** Nothing is written then, but what was read of the log. */
    private void refused(Refused reason) {
        refused(reason, PEER);
    }

    private void refused(Refused reason, URI peerUrl) {
        HostException refused = assertThrows(HostException.class, () -> adopt(peerUrl));
        assertEquals(Optional.of(reason), refused.reason());
        assertEquals(Optional.empty(), disk().note());
        assertEquals(Optional.empty(), AutoMemory.of(files, LogLab.STATE).machine());
    }

    private static void namesTheCommand(Data data) {
        String next = assertInstanceOf(Data.OtherDisk.class, data).next();
        assertEquals(
                "if this machine takes the place of that one, stop kjadm-etcd-auto and run 'kjadm etcd auto accept-disk --adopt'; else move /var/lib/etcd/member away",
                next);
    }

    @Test
    void aMachineTakesThePlaceOfTheOneWhoseDiskItHas() {
        assertEquals(gone, adopt(PEER).machine());
        AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
        assertEquals(Optional.of(gone), memory.machine());
        assertEquals(1, memory.generation());
        assertEquals(Optional.empty(), memory.boot(), "it watches for another one first");
        memory.start(lab.random);
        assertEquals(5, memory.run(), "the next start after those of the other machine");
        assertEquals(new Floor(3, 880), disk().floor());
        assertEquals(
                new Data.Held(1, Optional.of(member)),
                new OwnData(memory, disk(), files, () -> DATA)
                        .look(
                                log.charter(),
                                OwnData.Begun.NOT,
                                false,
                                log.reports().report(gone)));

        // again, after the daemon has noted more
        DiskNote note = disk().note().orElseThrow().with(new Floor(3, 890));
        disk().keep(note);
        assertEquals(gone, adopt(PEER).machine());
        assertEquals(Optional.of(note), disk().note());
    }

    /** It has started its daemon before, and that has made an ID. */
    @Test
    void aMachineWithAnIdOfItsOwnWaitsForThePerson() {
        AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
        memory.start(lab.random);
        Data data = new OwnData(memory, disk(), files, () -> DATA)
                .look(log.charter(), OwnData.Begun.NOT, false, Optional.empty());
        namesTheCommand(data);
        adopt(PEER);
        assertEquals(Optional.of(gone), AutoMemory.of(files, LogLab.STATE).machine());
    }

    /** The entry that has removed the member is deleted, and a machine has read it. */
    @Test
    void aLogThatWasCutIsNoLog() {
        MemoryFiles others = new MemoryFiles();
        AutoLog other = lab.machine(others);
        other.refresh();
        other.append(new Observed(List.of(LogLab.OTHER)), "", "");
        MachineId reader = LogLab.id(others);
        other.reports()
                .write(LogLab.report(
                        reader,
                        1,
                        1,
                        new Known(
                                other.charter().tail().slot(),
                                other.charter().tail().hash())));
        lab.store.delete(AutoObjects.entry(other.charter().tail().slot()));
        assertThrows(ClusterException.class, () -> adopt(PEER));
        assertEquals(Optional.empty(), AutoMemory.of(files, LogLab.STATE).machine());
    }

    @Test
    void dataThatTheNextGenerationMayNeedAreNotMovedAway() {
        AutoLog person = lab.person();
        person.refresh();
        person.append(
                new Restore(
                        1,
                        Set.of(member, LogLab.OTHER.id()),
                        Optional.empty(),
                        new Source(
                                Source.Kind.SNAPSHOT,
                                Optional.of(new Snapshot("s3://b/x", "n", cluster, 7))),
                        true,
                        ""),
                "",
                "");
        refused(Refused.RESTORED);
        MemoryFiles others = new MemoryFiles();
        AutoLog founder = lab.machine(others);
        founder.refresh();
        Seat seat = new Seat(
                new MemberId(0x55),
                "etcd3",
                Optional.of(LogLab.id(others)),
                List.of(URI.create("https://10.0.0.13:2380")),
                List.of());
        founder.append(new Form(2, "t2", LogLab.id(others), seat, "c0ffee"), "", "");
        refused(Refused.RESTORED);
    }

    /** A spare whose join was taken back remembers a disk, and no member. */
    @Test
    void aNoteOfAJoinThatWasTakenBackIsNoMember() {
        AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
        memory.start(lab.random);
        files.deleteTree(DATA);
        disk().begins(DATA, log.charter(), memory.id(), Instant.EPOCH);
        files.with(
                DATA.resolve(".kjadm-disk").toString(),
                before.text(DATA.resolve(".kjadm-disk").toString()));
        log(member, 3, 900);
        Data data = new OwnData(memory, disk(), files, () -> DATA)
                .look(log.charter(), OwnData.Begun.NOT, false, Optional.empty());
        namesTheCommand(data);
        assertEquals(gone, adopt(PEER).machine());
    }

    /** The store does not respond when the daemon starts. */
    @Test
    void anIdThatWasTakenOverIsWatchedFirst() {
        adopt(PEER);
        AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
        memory.start(lab.random);
        AutoLog own = AutoLog.open(lab.store, lab.token, memory, lab.waiter, lab.random);
        lab.store.down = true;
        own.reports().read();
        assertTrue(new OwnRun(own.reports(), memory, "boot", lab.waiter).look().isPresent());
    }

    /** Killed between the note and the ID, it is run again. */
    @Test
    void anAdoptionThatWasKilledIsRunAgain() {
        AutoMemory.of(files, LogLab.STATE).start(lab.random);
        MachineId own = LogLab.id(files);
        adopt(PEER);
        DiskNote note = disk().note().orElseThrow();
        MemoryFiles other = new MemoryFiles();
        AutoMemory.of(other, LogLab.STATE).start(lab.random);
        files.with(LogLab.STATE + "/identity.json", other.text(LogLab.STATE + "/identity.json"));
        assertInstanceOf(
                Data.OtherDisk.class,
                disk().objection(own, false, Optional.empty()).orElseThrow());
        OwnData data = new OwnData(AutoMemory.of(files, LogLab.STATE), disk(), files, () -> DATA);
        namesTheCommand(data.look(log.charter(), OwnData.Begun.NOT, false, Optional.empty()));
        files.rename(DATA.resolve("member"), Path.of("/var/lib/member"));
        assertInstanceOf(
                Data.Blank.class,
                data.look(log.charter(), OwnData.Begun.NOT, false, Optional.empty()),
                "a person has given it up");
        files.rename(Path.of("/var/lib/member"), DATA.resolve("member"));
        adopt(PEER);
        assertEquals(Optional.of(note), disk().note());
        assertEquals(Optional.of(gone), AutoMemory.of(files, LogLab.STATE).machine());
    }

    @Test
    void aMachineThatReportsKeepsItsPlace() {
        reports(4, Optional.of(member), new Floor(3, 890));
        refused(Refused.REPORTS);
    }

    @Test
    void aDiskThatWasPutBackIsRefused() {
        log(member, 3, 879);
        refused(Refused.OLDER);
        log(member, 2, 900);
        refused(Refused.OLDER);
    }

    @Test
    void whatNothingIsKnownOfIsRefused() {
        lab.store.delete(AutoObjects.report(gone));
        refused(Refused.NO_REPORT);
        reports(4, Optional.empty(), Floor.NONE);
        lab.waiter.pause("", "", SILENT);
        refused(Refused.NO_REPORT);
    }

    @Test
    void aMemberThatTheLogDoesNotListIsRefused() {
        log(new MemberId(0x77), 3, 900);
        refused(Refused.NOT_LISTED);
        log(member, 3, 900);
        log.append(new Observed(List.of(LogLab.OTHER)), "", "");
        refused(Refused.NOT_LISTED);
    }

    @Test
    void anotherAddressIsRefused() {
        refused(Refused.ADDRESS, URI.create("https://10.0.0.12:2380"));
    }

    /** It may wait for the quorum that this member makes up. */
    @Test
    void anOpenChangeOfAnotherMachineIsNoReasonToWait() {
        MemoryFiles others = new MemoryFiles();
        AutoLog other = lab.machine(others);
        other.refresh();
        other.append(
                Change.add(
                        1,
                        new Added(
                                LogLab.id(others),
                                "etcd2",
                                List.of(LogLab.OTHER.peerUrls().getFirst())),
                        other.charter().voterIds()),
                "",
                "");
        assertTrue(other.charter().change().isPresent());
        assertEquals(gone, adopt(PEER).machine());
    }

    @Test
    void aDirectoryWithoutADiskIsRefused() {
        files.delete(DATA.resolve(".kjadm-disk"));
        refused(Refused.NO_DISK);
        files.deleteTree(DATA);
        refused(Refused.NO_DISK);
    }

    @Test
    void aDiskThatTakesNoWritesIsRefused() {
        files.with(TABLE, DISK.replace(" rw - ", " ro - "));
        refused(Refused.READ_ONLY);
    }

    @Test
    void aMachineWithAMemberKeepsIt() {
        MachineId own = new MachineId("m-0000000000000002");
        new OwnDisk(files, NOTE, lab.random)
                .begins(Path.of("/srv/etcd"), log.charter(), own, Instant.EPOCH);
        disk().keep(disk().note().orElseThrow().with(new MemberIds(cluster, new MemberId(0x77))));
        HostException refused = assertThrows(HostException.class, () -> adopt(PEER));
        assertEquals(Optional.of(Refused.HAS_MEMBER), refused.reason());
    }

    @Test
    void dataThatNoClientHasUsedAreNotNeeded() {
        LogLab other = new LogLab();
        AutoLog begun = other.machine(new MemoryFiles());
        begun.refresh();
        begun.append(LogLab.form(gone), "", "");
        AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
        DiskAdoption adoption = new DiskAdoption(
                AutoLog.open(other.store, other.token, memory, other.waiter, other.random),
                memory,
                files,
                disk(),
                DATA);
        HostException refused = assertThrows(HostException.class, () -> adoption.adopt(PEER));
        assertEquals(Optional.of(Refused.NOT_USED), refused.reason());
    }

    @Test
    void withoutTheStoreNothingIsDone() {
        lab.store.down = true;
        assertThrows(ClusterException.class, () -> adopt(PEER));
        assertEquals(Optional.empty(), AutoMemory.of(files, LogLab.STATE).machine());
    }
}
