package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.auto.AutoMemory.Pending;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.MachineId;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;

class AutoMemoryTest {

    private static final Path STATE = Path.of("/var/lib/kjadm/etcd-auto");

    private final MemoryFiles files = new MemoryFiles();

    private AutoMemory memory() {
        return AutoMemory.of(files, STATE);
    }

    @Test
    void aMachineKeepsItsIdAndCountsItsStarts() {
        assertEquals(Optional.empty(), memory().machine());
        assertThrows(IllegalStateException.class, () -> memory().id());
        AutoMemory first = memory();
        first.start(new SplittableRandom(1));
        MachineId id = first.id();
        first.begins(2);

        AutoMemory second = memory();
        second.start(new SplittableRandom(2));

        assertEquals(id, second.id());
        assertEquals(1, first.run());
        assertEquals(2, second.run());
        assertEquals(2, second.generation());
        assertEquals(2, memory().generation());
    }

    @Test
    void rootAloneReadsIt() {
        AutoMemory memory = memory();
        memory.start(new SplittableRandom(1));
        memory.keepEntry(3, new byte[] {1});

        assertEquals(Optional.of(FileMode.PRIVATE_DIRECTORY), files.mode(STATE));
        assertEquals(Optional.of(FileMode.PRIVATE_DIRECTORY), files.mode(STATE.resolve("log")));
        for (Path file : files.files()) {
            assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(file), file.toString());
        }
        assertTrue(files.exists(STATE.resolve("log/00000000000000000003.json")));
    }

    @Test
    void aDamagedIdentityIsNotANewMachine() {
        files.with(STATE.resolve("identity.json").toString(), "{");

        HostException refusal = assertThrows(HostException.class, this::memory);
        assertEquals(STATE.resolve("identity.json") + " cannot be read", refusal.what());
    }

    @Test
    void theEntryThatMayBeWrittenIsKeptWithItsSlot() {
        byte[] bytes = "{}\n{\"mac\":\"\"}\n".getBytes(StandardCharsets.UTF_8);
        memory().keepPending(new Pending(12, bytes));

        Pending pending = memory().pending().orElseThrow();
        assertEquals(12, pending.slot());
        assertArrayEquals(bytes, pending.bytes());
        memory().forgetPending();
        assertEquals(Optional.empty(), memory().pending());
    }

    @Test
    void nothingIsKeptOfAPerson() {
        AutoMemory person = AutoMemory.none();
        person.keepEntry(1, new byte[3]);
        person.keepPending(new Pending(1, new byte[3]));

        assertEquals(Optional.empty(), person.entry(1));
        assertEquals(Optional.empty(), person.pending());
        assertEquals(Optional.empty(), person.machine());
        assertEquals(0, person.run());
    }
}
