package io.kjadm.core.preflight.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.check.Finding;
import io.kjadm.core.phase.RecordingReporter;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

class SystemCheckTest {

    private static final String V1_CONTROLLERS = """
            #subsys_name hierarchy num_cgroups enabled
            cpu 1 1 1
            cpuacct 2 1 1
            cpuset 3 1 1
            devices 4 1 1
            freezer 5 1 1
            memory 6 1 1
            pids 7 1 1
            hugetlb 8 1 1
            blkio 9 1 1
            """;

    private final GoodHost host = new GoodHost();
    private final RecordingReporter out = new RecordingReporter();

    private List<Finding> findings() {
        return SystemCheck.of(host.ports(), new InstalledKubelet(host.ports().runner()), out)
                .run();
    }

    private void versionOne() {
        host.files
                .with(
                        "/proc/mounts",
                        "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw 0 0\n")
                .withDirectory("/sys/fs/cgroup/memory")
                .with("/proc/cgroups", V1_CONTROLLERS);
    }

    @Test
    void oldControlGroupsAreAnErrorForTodaysKubelets() {
        versionOne();
        List<Finding> findings = findings();
        assertEquals(1, findings.size(), findings::toString);
        assertEquals(Finding.Level.ERROR, findings.getFirst().level());
        assertEquals(
                List.of("system verification: CGROUPS_VERSION: v1"),
                out.details().stream()
                        .filter(line -> line.startsWith("system verification: CGROUPS_VERSION"))
                        .toList());
    }

    @Test
    void oldControlGroupsAreAWarningForFormerKubelets() {
        versionOne();
        host.runner.answering("kubelet --version", "Kubernetes v1.34.3\n");
        assertEquals(
                List.of(Finding.Level.WARNING),
                findings().stream().map(Finding::level).toList());
        assertEquals(List.of(), out.details());
    }

    @Test
    void missingControllersAreTold() {
        host.files.with("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory\n");
        List<Finding> findings = findings();
        assertEquals(
                List.of(
                        Finding.error("missing required cgroups: pids"),
                        Finding.warning("missing optional cgroups: hugetlb, io")),
                findings);
    }

    @Test
    void freezerIsProbedInAGroupOfItsOwnWhereThereIsNone() {
        host.files.delete(Path.of("/sys/fs/cgroup/system.slice/cgroup.freeze"));
        assertEquals(List.of(Finding.error("missing required cgroups: freezer")), findings());
        assertFalse(host.files.exists(Path.of("/sys/fs/cgroup/kjadm-freezer-probe")));
    }

    @Test
    void hybridMountWithoutMemoryHierarchyIsVersionTwo() {
        host.files.with("/proc/mounts", "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n");
        assertEquals(List.of(), findings());
    }

    @Test
    void noControlGroupsAreAnError() {
        host.files.with("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n");
        assertEquals(List.of(Finding.error("no cgroup file system is mounted")), findings());
    }

    @Test
    void oldKernelIsAWarningAndMissingOptionsAreAnError() {
        host.files
                .with("/proc/sys/kernel/osrelease", "4.19.1\n")
                .with(
                        "/boot/config-4.19.1",
                        GoodHost.KERNEL_OPTIONS
                                .replace("CONFIG_INET=y\n", "")
                                .replace("CONFIG_EXT4_FS=m", "CONFIG_EXT4_FS=n")
                                .replace("NETFILTER_XT_TARGET_REDIRECT", "IP_NF_TARGET_REDIRECT"));
        List<Finding> findings = findings();
        assertEquals(Finding.Level.WARNING, findings.get(0).level());
        assertEquals(
                Finding.error("missing required kernel options: CONFIG_INET, CONFIG_EXT4_FS"),
                findings.get(1));
    }

    @Test
    void packedOptionsAreFoundFirst() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write("CONFIG_INET=y\n".getBytes(StandardCharsets.UTF_8));
        }
        host.files.with("/proc/config.gz", packed.toByteArray());
        assertEquals(
                "missing required kernel options: CONFIG_NAMESPACES, CONFIG_NET_NS, CONFIG_PID_NS, CONFIG_IPC_NS, CONFIG_UTS_NS, CONFIG_CPUSETS, CONFIG_MEMCG, CONFIG_EXT4_FS, CONFIG_PROC_FS, CONFIG_NETFILTER_XT_TARGET_REDIRECT, CONFIG_NETFILTER_XT_MATCH_COMMENT, CONFIG_FAIR_GROUP_SCHED, CONFIG_CGROUPS, CONFIG_CGROUP_BPF, CONFIG_CGROUP_PIDS, CONFIG_CGROUP_SCHED",
                findings().getFirst().text());
    }

    @Test
    void optionsAreAskedOfTheModuleLast() {
        host.files.delete(Path.of("/boot/config-6.12.5"));
        host.runner.answering("modprobe configs", "").answering("modprobe -r configs", "");
        assertEquals(
                "the options of kernel 6.12.5 are found neither in /proc/config.gz nor in a file",
                findings().getFirst().text());
        assertEquals(
                List.of("modprobe configs", "modprobe -r configs"),
                host.runner.commands().stream()
                        .filter(command -> command.startsWith("modprobe"))
                        .toList());
    }

    @Test
    void foreignSystemIsAnError() {
        host.files.with("/proc/sys/kernel/ostype", "Plan9\n");
        assertEquals(List.of(Finding.error("unsupported operating system: Plan9")), findings());
    }

    @Test
    void onlyMaintainedKernelsAreWithoutAWarning() {
        for (String release : List.of(
                "5.4.0-150-generic", "5.10.1", "5.15.0", "6.1.0-13-amd64", "7.0.1", "10.2.3")) {
            assertTrue(KernelRules.isMaintained(release), release);
        }
        for (String release : List.of("3.10.0-1160.el7", "4.19.1", "5.3.0", "5.14.0-1.el9", "")) {
            assertFalse(KernelRules.isMaintained(release), release);
        }
    }
}
