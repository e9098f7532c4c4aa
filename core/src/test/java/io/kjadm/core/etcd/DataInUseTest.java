package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.core.host.DiskFiles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The kernel's list of locks tells who uses etcd's data. */
class DataInUseTest {

    @TempDir
    private Path folder;

    @Test
    void whoHasLockedTheDatabaseIsNamed() throws Exception {
        Path flock = Path.of("/usr/bin/flock");
        assumeTrue(Files.isExecutable(flock), "no flock(1) on this machine");
        Path database = folder.resolve("member/snap/db");
        Files.createDirectories(database.getParent());
        Files.writeString(database, "bbolt");
        DataInUse data = new DataInUse(new DiskFiles());
        assertEquals(Optional.empty(), data.by(folder));
        Process holder = new ProcessBuilder(
                        flock.toString(),
                        "--no-fork",
                        database.toString(),
                        "sh",
                        "-c",
                        "echo locked; read line")
                .start();
        try {
            assertEquals("locked", holder.inputReader().readLine());
            String told = data.by(folder).orElseThrow();
            assertTrue(
                    told.contains("process " + holder.pid()) && told.endsWith(database + " open"),
                    told);
        } finally {
            holder.destroyForcibly().waitFor();
        }
        assertEquals(Optional.empty(), data.by(folder));
    }

    @Test
    void whereThereIsNoDatabaseNobodyUsesIt() {
        assertEquals(Optional.empty(), new DataInUse(new DiskFiles()).by(folder));
    }
}
