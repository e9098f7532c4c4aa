package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.core.auto.OwnData.Begun;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Data;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** What a machine concludes from an empty data directory. */
class OwnDataTest {

    private static final Path DATA = Path.of("/var/lib/etcd");

    private final LogLab lab = new LogLab();
    private final MemoryFiles files = new MemoryFiles();
    private final AutoLog log = lab.machine(files);
    private final AutoMemory memory = AutoMemory.of(files, LogLab.STATE);
    private final OwnDisk disk = new OwnDisk(files, LogLab.STATE.resolve("disk.json"), lab.random);

    private Data look(Begun begun) {
        return new OwnData(memory, disk, files, () -> DATA)
                .look(log.charter(), begun, false, Optional.empty());
    }

    /** It was killed before it noted its member: that etcd ran is known from the machine's record. */
    @Test
    void aFounderThatRanHasLostItsData() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        memory.begins(1);
        disk.begins(DATA, log.charter(), memory.id(), Instant.EPOCH);
        assertInstanceOf(Data.Blank.class, look(Begun.NOT));
        assertInstanceOf(Data.Held.class, look(Begun.BEGUN));
        assertInstanceOf(Data.Lost.class, look(Begun.FINISHED));
    }

    /** Its root disk was put back to before the join, and the disk of the data was not. */
    @Test
    void dataOfAMemberThatTheMachineDoesNotRememberCountAsLost() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        data(log.charter().voters().getFirst().id());
        assertInstanceOf(Data.Lost.class, look(Begun.NOT));
        assertInstanceOf(Data.Lost.class, look(Begun.BEGUN));
        // of one that was adopted the log knows before this machine does
        assertInstanceOf(Data.Held.class, look(Begun.FINISHED));
        memory.begins(1);
        assertInstanceOf(Data.Held.class, look(Begun.BEGUN));
    }

    private void data(MemberId member) {
        data(DATA, member);
    }

    private void data(Path directory, MemberId member) {
        files.with(
                directory + "/member/wal/0000000000000000-0000000000000000.wal",
                WalText.of(
                        member.value(),
                        Long.parseUnsignedLong(log.charter().cluster().orElseThrow(), 16)));
    }

    /** The automatic mode of an earlier cluster file has marked the disk of a member that runs here. */
    @Test
    void theDataOfAMemberThatIsSetUpHereAreNotAnotherMachines() {
        MemoryFiles others = lab.founder();
        log.refresh();
        data(log.charter().voters().getFirst().id());
        new DiskMarker("d-1", "0", LogLab.id(others), Instant.EPOCH).write(files, DATA);
        assertInstanceOf(Data.OtherDisk.class, look(Begun.NOT));
        assertInstanceOf(Data.Held.class, look(Begun.FINISHED));
    }

    /** The daemon was started without the flag that names the directory. */
    @Test
    void theDirectoryThatWasNotedIsLookedAt() {
        log.refresh();
        log.append(LogLab.form(memory.id()), "", "");
        memory.begins(1);
        disk.begins(Path.of("/srv/etcd"), log.charter(), memory.id(), Instant.EPOCH);
        data(Path.of("/srv/etcd"), log.charter().voters().getFirst().id());
        assertInstanceOf(Data.Held.class, look(Begun.FINISHED));
    }

    /** Where the memory of the automatic mode was lost, etcd may run as a voter of the log. */
    @Test
    void aMachineWithTheMemberOfAnotherOneMayTakeItsPlace() {
        MemoryFiles others = lab.founder();
        log.refresh();
        data(log.charter().voters().getFirst().id());
        new DiskMarker("d-1", log.charter().seed().uid(), LogLab.id(others), Instant.EPOCH)
                .write(files, DATA);
        assertInstanceOf(Data.OtherDisk.class, look(Begun.FINISHED));
        data(new MemberId(0x77));
        assertInstanceOf(Data.Held.class, look(Begun.FINISHED), "the log lists another member");
    }

    @Test
    void aMachineWithoutAMemberHasNoneToLose() {
        log.refresh();
        assertInstanceOf(Data.Blank.class, look(Begun.NOT));
        assertInstanceOf(Data.Held.class, look(Begun.BEGUN));
    }
}
