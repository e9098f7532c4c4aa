package io.kjadm.core.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.MemberMarker;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.recover.DiskEvidence;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** An empty place where a disk is to be mounted is not an empty disk. */
class AbsentMountsTest {

    private static final Path DATA_DIR = Path.of("/var/lib/etcd");

    private final MemoryFiles files = new MemoryFiles();

    private DiskEvidence.Empty look() {
        return assertInstanceOf(
                DiskEvidence.Empty.class, new DiskReader(files).look(DATA_DIR, 0, () -> {
                            throw new IllegalStateException("there is no database");
                        }));
    }

    @Test
    void whatFstabOrAUnitMountsThereOrAboveIsMissed() {
        files.with("/etc/fstab", """
                # disks
                UUID=1 / ext4 defaults 0 1
                UUID=2 none swap sw 0 0
                UUID=3 /var/lib/etcd ext4 nofail 0 2
                UUID=4 /var/lib/etcd-of-others ext4 defaults 0 2
                """)
                .with("/etc/systemd/system/var-lib.mount", """
                        [Mount]
                        What=/dev/sdb1
                        Where=/var/lib
                        """)
                .with("/proc/self/mounts", "/dev/sda1 / ext4 rw 0 0\n");

        assertEquals(List.of("/var/lib", "/var/lib/etcd"), look().absent());
        assertEquals("not mounted: /var/lib, /var/lib/etcd", look().doubt().orElseThrow());

        files.with(
                "/proc/self/mounts",
                "/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 /var/lib ext4 rw 0 0\n/dev/sdc1 /var/lib/etcd ext4 rw 0 0\n");
        assertEquals(List.of(), look().absent());
    }

    /** systemd mounts at the place where the link leads. */
    @Test
    void whatFstabNamesByALinkIsMountedWhereThatLeads() {
        files.withLink("/var/lib/etcd", "/data/etcd")
                .with("/etc/fstab", "UUID=3 /var/lib/etcd ext4 nofail 0 2\n");
        assertEquals(List.of("/var/lib/etcd"), look().absent());

        files.with("/proc/self/mounts", "/dev/sdc1 /data/etcd ext4 rw 0 0\n");
        assertEquals(List.of(), look().absent());
    }

    @Test
    void onlyADirectoryThatNamesItsMemberIsItsDisk() {
        assertTrue(look().doubt().isPresent());

        MemberMarker.write(
                files, DATA_DIR, new MemberId(0xa001), "c1", Instant.parse("2026-11-26T03:00:00Z"));

        assertEquals("a001", look().owner().orElseThrow());
        assertTrue(look().doubt().isEmpty());
    }
}
