package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.BeforeEach;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** A machine of the automatic mode whose data directory is a disk of its own. */
abstract class OwnDiskLab {

    static final Path DATA = Path.of("/var/lib/etcd");
    static final Path NOTE = Path.of("/var/lib/kjadm/etcd-auto/disk.json");
    static final String WAL = DATA + "/member/wal/0000000000000000-0000000000000000.wal";
    static final MachineId OTHER = new MachineId("m-0000000000000002");
    static final MemberIds IDS = new MemberIds("a655067d30f39934", new MemberId(0x16a1));
    static final String ROOT = "24 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n";
    static final String MOUNTED =
            "77 24 254:16 / /var/lib/etcd rw,relatime shared:9 - xfs /dev/vdb rw\n";

    final MemoryFiles files = new MemoryFiles()
            .withDirectory("/dev/disk/by-uuid")
            .with("/dev/vda1", "")
            .with("/dev/vdb", "")
            .withLink("/dev/disk/by-uuid/11aa", "/dev/vda1")
            .withLink("/dev/disk/by-uuid/22bb", "/dev/vdb");
    final OwnDisk disk = new OwnDisk(files, NOTE, new SplittableRandom(1));
    final MemoryFiles machine = new MemoryFiles();
    final AutoLog log = new LogLab().machine(machine);
    final MachineId self = LogLab.id(machine);
    Optional<AutoFacts.Copy> copy = Optional.empty();

    @BeforeEach
    void aMemberServes() {
        mounts(ROOT + MOUNTED);
        disk.begins(DATA, founded(), self, Instant.EPOCH);
        log(IDS, 3, 900);
        note(note -> note.with(IDS).with(new Floor(3, 880)));
    }

    Charter founded() {
        log.refresh();
        log.append(LogLab.form(self), "", "");
        return log.charter();
    }

    void note(UnaryOperator<DiskNote> change) {
        DiskNote next = change.apply(disk.note().orElseThrow());
        files.write(NOTE, JournalJson.text(JournalJson.tree(next)), FileMode.OWNER_ONLY);
    }

    void mounts(String table) {
        files.with("/proc/self/mountinfo", table);
    }

    void log(MemberIds ids, long term, long index) {
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

    Data objection() {
        return disk.objection(self, false, Optional.empty()).orElse(null);
    }

    void refused(Class<? extends Data> expected) {
        assertInstanceOf(expected, objection());
    }

    static DiskNote unknown(DiskNote note) {
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
}
