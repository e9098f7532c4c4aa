package io.kjadm.core.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.MemoryFiles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Where a store is used. */
class SnapshotStoresTest {

    @TempDir
    Path folder;

    private final MemoryFiles files =
            new MemoryFiles().with("/proc/self/mounts", "/dev/sda1 / ext4 rw 0 0\n");
    private final SnapshotStores stores = new SnapshotStores(files, Map.of());

    private int snapshots() {
        return stores.use(
                folder.resolve("etcd").toString(), catalog -> catalog.entries().size());
    }

    /** It would be kept on the disk that it is a copy for. */
    @Test
    void aFolderThatIsNotMountedIsNoStore() {
        assertEquals(0, snapshots());
        files.with("/etc/fstab", "server:/export %s nfs4 nofail 0 0\n".formatted(folder));

        HostException refusal = assertThrows(HostException.class, this::snapshots);

        assertEquals(
                "the store %s is not mounted".formatted(folder.resolve("etcd")), refusal.what());
        assertEquals(
                "fstab or a unit of systemd says that %s is a mount, and nothing is mounted there"
                        .formatted(folder),
                refusal.why());
        assertTrue(List.of(folder.toFile().list()).isEmpty());

        files.with("/proc/self/mounts", "server:/export %s nfs4 rw 0 0\n".formatted(folder));
        assertEquals(0, snapshots());
    }

    @Test
    void aUnitOfThisMachineCountsAndThoseOfItsDistributionDoNot() {
        String unit = "[Mount]\nWhat=/dev/sdb1\nWhere=%s\n".formatted(folder);
        files.with("/usr/lib/systemd/system/backups.mount", unit);
        assertEquals(0, snapshots());

        files.with("/etc/systemd/system/backups.mount", unit);
        assertThrows(HostException.class, this::snapshots);
    }

    @Test
    void aBucketIsNotMounted() {
        files.with("/etc/fstab", "server:/export /bucket nfs4 nofail 0 0\n");
        stores.requireMounted("s3://bucket/bucket");
    }
}
