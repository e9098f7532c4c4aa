package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Optional;

/** What is concluded from the disk that is mounted, and what is not. */
class OwnDiskTest extends OwnDiskLab {

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

    /** As when the daemon is stopped while it reads: the marker is there. */
    @Test
    void aMarkerThatCannotBeReadIsNotMissing() {
        files.delete(DATA.resolve(DataDirReader.DISK_MARKER));
        files.withDirectory(DATA.resolve(DataDirReader.DISK_MARKER).toString());
        refused(Data.Unreadable.class);
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
        note(OwnDiskLab::unknown);
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
