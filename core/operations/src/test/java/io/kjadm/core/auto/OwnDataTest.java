package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.core.auto.OwnData.Begun;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.check.WalFile;

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
        return new OwnData(memory, disk, files, DATA)
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
        MemberId listed = log.charter().voters().getFirst().id();
        String cluster = log.charter().cluster().orElseThrow();
        files.with(
                DATA + "/member/wal/0000000000000000-0000000000000000.wal",
                new WalFile()
                        .startFile(0)
                        .record(
                                1,
                                WalFile.message()
                                        .addField(1, WalFile.number(listed.value()))
                                        .addField(
                                                2,
                                                WalFile.number(
                                                        Long.parseUnsignedLong(cluster, 16))))
                        .content());
        assertInstanceOf(Data.Lost.class, look(Begun.NOT));
        assertInstanceOf(Data.Lost.class, look(Begun.BEGUN));
        // of one that was adopted the log knows before this machine does
        assertInstanceOf(Data.Held.class, look(Begun.FINISHED));
        memory.begins(1);
        assertInstanceOf(Data.Held.class, look(Begun.BEGUN));
    }

    @Test
    void aMachineWithoutAMemberHasNoneToLose() {
        log.refresh();
        assertInstanceOf(Data.Blank.class, look(Begun.NOT));
        assertInstanceOf(Data.Held.class, look(Begun.BEGUN));
    }
}
