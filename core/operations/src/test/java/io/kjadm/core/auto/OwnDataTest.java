package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.core.auto.OwnData.Begun;
import io.kjadm.core.host.MemoryFiles;
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

    @Test
    void aMachineWithoutAMemberHasNoneToLose() {
        log.refresh();
        assertInstanceOf(Data.Blank.class, look(Begun.NOT));
        assertInstanceOf(Data.Held.class, look(Begun.BEGUN));
    }
}
