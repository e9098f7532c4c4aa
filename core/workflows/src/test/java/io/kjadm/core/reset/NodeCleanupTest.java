package io.kjadm.core.reset;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.cri.ReportingRuntimeConnector;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.Mounts;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.ReportingRunner;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.host.Services;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.value.UnmountFlag;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

class NodeCleanupTest {

    private static final String MOUNTS = "/proc/mounts";
    private static final Path ETCD = KubernetesPaths.ETCD_DATA_DIR;

    private final MemoryFiles files = new MemoryFiles()
            .with("/proc/mounts", "tmpfs /var/lib/kubelet/pods/p/tmp tmpfs rw 0 0\n")
            .with("/etc/kubernetes/manifests/etcd.yaml", "x")
            .with("/etc/kubernetes/pki/etcd/ca.key", "x")
            .with("/etc/kubernetes/tmp/backup/x", "x")
            .with("/etc/kubernetes/admin.conf", "x")
            .with("/etc/kubernetes/bootstrap-kubelet.conf", "x")
            .with("/etc/kubernetes/mine.conf", "x")
            .with("/var/lib/kubelet/config.yaml", "x")
            .with("/var/lib/etcd/member/wal/0.wal", "x");
    private final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl stop kubelet", "")
            .answering("umount /var/lib/kubelet/pods/p/tmp", "");
    private final MemoryRuntime runtime = new MemoryRuntime();
    private final RecordingReporter out = new RecordingReporter();

    NodeCleanupTest() {
        runtime.sandboxes.put("s1", true);
        runtime.sandboxes.put("s2", false);
    }

    private static NodeCleanup.Order order(Path certificates, boolean tmp) {
        return new NodeCleanup.Order(
                KubernetesPaths.withCertificates(certificates),
                ETCD,
                Optional.of("unix:///run/c.sock"),
                List.of(),
                tmp);
    }

    private static NodeCleanup.Order usual() {
        return order(KubernetesPaths.CERTIFICATES_DIR, false);
    }

    private List<String> clean(NodeCleanup.Order order) {
        return clean(order, runtime);
    }

    private List<String> clean(NodeCleanup.Order order, RuntimeConnector runtimes) {
        return new NodeCleanup(
                        files, new Mounts(files, unmounting(runner)), Services.of(runner), runtimes)
                .run(order, out);
    }

    /** What is unmounted is in the kernel's table no longer. */
    private CommandRunner unmounting(CommandRunner programs) {
        return new CommandRunner() {
            @Override
            public Output run(List<String> command, Duration limit) {
                Output output = programs.run(command, limit);
                if (command.getFirst().equals("umount")
                        && (output.ok() || output.stderr().contains("not mounted"))) {
                    files.with(
                            MOUNTS,
                            files.text(MOUNTS)
                                    .lines()
                                    .filter(line ->
                                            !line.contains(" %s ".formatted(command.getLast())))
                                    .collect(Collectors.joining("\n")));
                }
                return output;
            }

            @Override
            public boolean isInstalled(String program) {
                return programs.isInstalled(program);
            }
        };
    }

    /** Whose pods do something when they are removed. */
    private RuntimeConnector removing(Runnable what) {
        return new RuntimeConnector() {
            @Override
            public ContainerRuntime connect(String criSocket) {
                return (ContainerRuntime) Proxy.newProxyInstance(
                        ContainerRuntime.class.getClassLoader(),
                        new Class<?>[] {ContainerRuntime.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("removeSandbox")) {
                                what.run();
                            }
                            return method.invoke(runtime, arguments);
                        });
            }

            @Override
            public boolean canConnect(Path socket) {
                return true;
            }
        };
    }

    private List<String> left() {
        return files.files().stream()
                .map(Path::toString)
                .filter(path -> !path.startsWith("/proc"))
                .toList();
    }

    @Test
    void nodeIsCleanedButForEtcdAndForeignFiles() {
        assertEquals(List.of(), clean(usual()));
        assertEquals(
                List.of(
                        "/etc/kubernetes/mine.conf",
                        "/etc/kubernetes/tmp/backup/x",
                        "/var/lib/etcd/member/wal/0.wal"),
                left());
        assertTrue(files.isDirectory(Path.of("/etc/kubernetes/pki")));
        assertTrue(runtime.sandboxes.isEmpty());
        assertEquals(
                List.of("systemctl stop kubelet", "umount /var/lib/kubelet/pods/p/tmp"),
                runner.commands());
    }

    @Test
    void cleaningAgainFindsNothing() {
        clean(usual());
        assertEquals(List.of(), clean(usual()));
    }

    @Test
    void tmpDirectoryGoesOnRequestAndUnusualCertificatesWithAWarning() {
        files.with("/opt/pki/ca.crt", "x");
        List<String> warnings = clean(order(Path.of("/opt/pki"), true));
        assertEquals(1, warnings.size());
        assertFalse(files.exists(Path.of("/opt/pki/ca.crt")));
        assertFalse(files.exists(Path.of("/etc/kubernetes/tmp/backup/x")));
        assertTrue(files.exists(Path.of("/etc/kubernetes/pki/etcd/ca.key")));
    }

    @Test
    void etcdDataIsNotDeletedByDetours() {
        for (Path certificates : List.of(ETCD, Path.of("/var/lib"), ETCD.resolve("member"))) {
            List<String> warnings = clean(order(certificates, false));
            assertTrue(
                    warnings.stream()
                            .anyMatch(warning ->
                                    Named.files(warning).contains(certificates.toString())),
                    warnings::toString);
        }
        files.withLink("/opt/link", ETCD.toString());
        clean(order(Path.of("/opt/link"), false));
        assertTrue(files.exists(ETCD.resolve("member/wal/0.wal")));
    }

    @Test
    void stuckMountEndsTheResetBeforeAnythingIsDeleted() {
        runner.answering(
                "umount /var/lib/kubelet/pods/p/tmp", new Output(32, "", "target is busy"));
        HostException stuck = assertThrows(HostException.class, () -> clean(usual()));
        assertEquals(Set.of("/var/lib/kubelet/pods/p/tmp"), Named.files(stuck.why()));
        assertTrue(files.exists(Path.of("/var/lib/kubelet/config.yaml")));
        assertTrue(files.exists(Path.of("/etc/kubernetes/manifests/etcd.yaml")));
    }

    /** A driver of volumes brings back what it takes for lost, until its own pod is gone. */
    @Test
    void whatPodsMountWhileTheyAreStoppedIsNotDeletedThrough() {
        RuntimeConnector mounting =
                removing(() -> files.with(MOUNTS, "s3 /var/lib/kubelet/pods/p/tmp fuse.s3 rw 0 0\n")
                        .with("/var/lib/kubelet/pods/p/tmp/object", "of somebody"));

        assertEquals(List.of(), clean(usual(), mounting));
        assertEquals("", files.text(MOUNTS));
        assertEquals(
                2,
                runner.commands().stream()
                        .filter(command -> command.startsWith("umount"))
                        .count());

        runner.answering(
                "umount /var/lib/kubelet/pods/p/tmp", new Output(32, "", "target is busy"));
        files.with("/etc/kubernetes/admin.conf", "x");
        runtime.sandboxes.put("s1", true);
        assertThrows(HostException.class, () -> clean(usual(), mounting));
        assertTrue(files.exists(Path.of("/var/lib/kubelet/pods/p/tmp/object")));
        assertTrue(files.exists(Path.of("/etc/kubernetes/admin.conf")));
    }

    /** The kernel refuses them together, so the mount stays. */
    @Test
    void flagsThatExcludeEachOtherEndTheResetBeforeAnythingIsDeleted() {
        NodeCleanup.Order order = new NodeCleanup.Order(
                KubernetesPaths.standard(),
                ETCD,
                Optional.of("unix:///run/c.sock"),
                List.of(UnmountFlag.MNT_EXPIRE, UnmountFlag.MNT_FORCE),
                false);
        files.with("/var/lib/kubelet/pods/p/tmp/object", "of somebody");
        assertThrows(HostException.class, () -> clean(order));
        assertTrue(files.exists(Path.of("/var/lib/kubelet/pods/p/tmp/object")));
    }

    @Test
    void mountsAreFoundBehindALink() {
        files.with("/data/kubelet/config.yaml", "x")
                .withLink("/var/lib/kubelet", "/data/kubelet")
                .with("/proc/mounts", "tmpfs /data/kubelet/pods/q tmpfs rw 0 0\n");
        runner.answering("umount /data/kubelet/pods/q", "");
        assertEquals(List.of(), clean(usual()));
        assertFalse(files.exists(Path.of("/data/kubelet/config.yaml")));
    }

    @Test
    void stubbornSandboxIsAWarningAfterFiveAttempts() {
        runtime.refusals.put("s1", 4);
        runtime.refusals.put("s2", 5);
        List<String> warnings = clean(usual());
        assertEquals(1, warnings.size());
        assertTrue(warnings.getFirst().startsWith("pod sandbox s2 was not removed"));
        assertEquals(List.of("s2"), runtime.sandboxes());
    }

    @Test
    void otherFailuresAreWarningsAndTheRestIsDone() {
        runtime.down = Optional.of("connection refused");
        files.refusing("/etc/kubernetes/pki", "read-only")
                .refusing("/etc/kubernetes/admin.conf", "read-only");
        runner.answering("systemctl stop kubelet", new Output(1, "", "no"));
        assertEquals(4, clean(usual()).size());
        assertFalse(files.exists(Path.of("/etc/kubernetes/manifests/etcd.yaml")));
        assertFalse(files.exists(Path.of("/etc/kubernetes/bootstrap-kubelet.conf")));
    }

    @Test
    void aMachineWithoutKubeletOrRuntimeIsCleanedOfTheRest() {
        files.deleteTree(Path.of("/var/lib/kubelet"));
        List<String> warnings = clean(new NodeCleanup.Order(
                KubernetesPaths.standard(), ETCD, Optional.empty(), List.of(), false));
        assertEquals(
                List.of(
                        "/var/lib/kubelet does not exist, nothing to clean there",
                        "the container runtime is not known, so its pods were not removed"),
                warnings);
        assertFalse(files.exists(Path.of("/etc/kubernetes/admin.conf")));
        assertEquals(2, runtime.sandboxes.size());
    }

    @Test
    void dryRunTouchesNothing() {
        List<Path> before = files.files();
        HostFiles overlay = new OverlayFiles(files, out);
        CommandRunner reporting = new ReportingRunner(runner, out);
        List<String> warnings = new NodeCleanup(
                        overlay,
                        new Mounts(overlay, reporting),
                        Services.of(reporting),
                        new ReportingRuntimeConnector(runtime, out))
                .run(usual(), out);
        assertEquals(List.of(), warnings);
        assertEquals(before, files.files());
        assertEquals(2, runtime.sandboxes.size());
        assertEquals(List.of(), runner.commands());
        assertHasLine(
                "[dryrun] Would delete the contents of directory \"/etc/kubernetes/pki\"",
                out.text());
    }

    @Test
    void aMountThatIsGoneMeanwhileIsAWarning() {
        runner.answering(
                "umount /var/lib/kubelet/pods/p/tmp",
                new Output(32, "", "umount: /var/lib/kubelet/pods/p/tmp: not mounted."));
        assertEquals(
                List.of("/var/lib/kubelet/pods/p/tmp is not mounted any more"), clean(usual()));
    }
}
