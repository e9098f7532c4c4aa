package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

class HostInfoTest {

    @Test
    void factsAreReadFromTheKernelsFiles() {
        HostInfo host = new HostInfo(new MemoryFiles()
                .with(
                        "/proc/self/status",
                        "Name:\tx\nUid:\t1000\t0\t0\t0\nCpus_allowed_list:\t0-2,5\n")
                .with("/proc/meminfo", "MemTotal:        2048000 kB\nMemFree: 1 kB\n")
                .with("/proc/sys/kernel/osrelease", "6.12.5-amd64\n")
                .with("/proc/sys/kernel/hostname", "Node1\n")
                .with("/proc/swaps", "Filename\tType\tSize\n/swapfile file 10 0 -2\n\n"));
        assertEquals(OptionalInt.of(4), host.cpus());
        assertEquals(OptionalLong.of(2000), host.memoryMiB());
        assertTrue(host.isPrivileged());
        assertEquals("6.12.5-amd64", host.kernelRelease());
        assertEquals("Node1", host.hostname());
        assertEquals(List.of("/swapfile"), host.swaps());
    }

    @Test
    void nothingIsClaimedWithoutTheFiles() {
        HostInfo host = new HostInfo(new MemoryFiles());
        assertEquals(OptionalInt.empty(), host.cpus());
        assertEquals(OptionalLong.empty(), host.memoryMiB());
        assertFalse(host.isPrivileged());
        assertEquals("", host.kernelName());
        assertEquals(List.of(), host.swaps());
    }

    @Test
    void ordinaryUserIsNotPrivileged() {
        assertFalse(
                new HostInfo(new MemoryFiles().with("/proc/self/status", "Uid:\t0\t1000\t0\t0\n"))
                        .isPrivileged());
    }

    @Test
    void thisMachineHasFacts() {
        HostInfo host = new HostInfo(new DiskFiles());
        assertTrue(host.cpus().orElse(0) > 0);
        assertTrue(host.memoryMiB().orElse(0) > 0);
        assertEquals("Linux", host.kernelName());
    }
}
