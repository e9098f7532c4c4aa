package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.MemoryFiles;

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
            assertEquals(
                    Optional.of("process %d (sh) has %s open".formatted(holder.pid(), database)),
                    data.by(folder));
        } finally {
            holder.destroyForcibly().waitFor();
        }
        assertEquals(Optional.empty(), data.by(folder));
    }

    /** On btrfs the list of locks has the device of the file system, and stat that of a subvolume. */
    @Test
    void whereTheDevicesDifferTheOpenFileTells() {
        MemoryFiles files = new MemoryFiles()
                .with("/proc/locks", """
                        1: FLOCK  ADVISORY  WRITE 12 00:1f:4711 0 EOF
                        2: FLOCK  ADVISORY  WRITE 13 00:1f:4711 0 EOF
                        3: FLOCK  ADVISORY  WRITE 14 00:1f:99 0 EOF
                        """)
                .with("/proc/12/fd/3", "")
                .with("/proc/13/fd/8", "")
                .with("/proc/14/fd/8", "")
                .with("/proc/13/comm", "etcd\n")
                .identified("/var/lib/etcd/member/snap/db", "00:2a:4711")
                .identified("/proc/12/fd/3", "08:01:4711")
                .identified("/proc/13/fd/8", "00:2a:4711")
                .identified("/proc/14/fd/8", "00:2a:4711");
        assertEquals(
                Optional.of("process 13 (etcd) has /var/lib/etcd/member/snap/db open"),
                new DataInUse(files).by(Path.of("/var/lib/etcd")));
    }

    @Test
    void whereThereIsNoDatabaseNobodyUsesIt() {
        assertEquals(Optional.empty(), new DataInUse(new DiskFiles()).by(folder));
    }
}
