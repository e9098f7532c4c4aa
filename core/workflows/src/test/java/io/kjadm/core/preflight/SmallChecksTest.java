package io.kjadm.core.preflight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.check.Preflight;
import io.kjadm.core.cri.ContainerRuntime.State;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.PreflightException;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.host.Services;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.preflight.machine.FileChecks;
import io.kjadm.core.preflight.machine.GoodHost;
import io.kjadm.core.preflight.machine.InstalledKubelet;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PortProbe;
import io.kjadm.core.value.KubernetesVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Refusals of the small checks; that they all pass on a good machine is shown with the lists. */
class SmallChecksTest {

    private final GoodHost host = new GoodHost();

    private static void error(String part, Check check) {
        only(Finding.Level.ERROR, part, check);
    }

    private static void warning(String part, Check check) {
        only(Finding.Level.WARNING, part, check);
    }

    private static void only(Finding.Level level, String part, Check check) {
        List<Finding> findings = check.run();
        assertEquals(1, findings.size(), findings::toString);
        assertEquals(level, findings.getFirst().level());
        assertTrue(findings.getFirst().text().contains(part), findings::toString);
    }

    @Test
    void userWithoutRightsIsRefused() {
        host.files.with("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\n");
        error("root", MachineChecks.privilegedUser(host.ports().info()));
    }

    @Test
    void oneCpuAndLittleMemoryAreRefused() {
        host.files
                .with("/proc/self/status", "Cpus_allowed_list:\t3\n")
                .with("/proc/meminfo", "MemTotal: 1740799 kB\n");
        error("CPUs 1", MachineChecks.cpus(host.ports().info()));
        error("1699 MB", MachineChecks.memory(host.ports().info()));
        host.files.with("/proc/meminfo", "MemTotal: 1740800 kB\n");
        assertEquals(List.of(), MachineChecks.memory(host.ports().info()).run());
    }

    @Test
    void unreadableFactsAreRefused() {
        host.files.with("/proc/self/status", "").with("/proc/meminfo", "");
        error("cannot be read", MachineChecks.cpus(host.ports().info()));
        error("cannot be read", MachineChecks.memory(host.ports().info()));
    }

    @Test
    void newerMinorIsAWarningAndNonsenseAnError() {
        KubernetesVersion own = new KubernetesVersion(1, 36, 2, "", "");
        assertEquals(List.of(), VersionChecks.kubernetes("v1.36.9", own).run());
        warning("v1.37.0-alpha.1", VersionChecks.kubernetes("v1.37.0-alpha.1", own));
        error("\"latest\"", VersionChecks.kubernetes("latest", own));
    }

    @Test
    void activeFirewallIsAWarning() {
        host.runner
                .answering("systemctl show --property=LoadState firewalld", "LoadState=loaded\n")
                .answering("systemctl is-active firewalld", "active\n");
        warning(
                "[6443, 10250]",
                MachineChecks.firewalld(host.ports().services(), List.of(6443, 10250)));
        warning(
                "init system",
                MachineChecks.firewalld(Services.of(new ScriptedRunner()), List.of()));
    }

    @Test
    void usedPortIsRefused() throws IOException {
        int port;
        try (ServerSocket used = new ServerSocket(0)) {
            port = used.getLocalPort();
            error("in use", MachineChecks.port(port, PortProbe.ofMachine()));
        }
        assertEquals(Optional.empty(), PortProbe.ofMachine().refusal(port));
    }

    @Test
    void onlyThePortOfTheAddressThatIsUsedCounts() throws IOException {
        PortProbe machine = PortProbe.ofMachine();
        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.2"))) {
            int port = used.getLocalPort();
            error("in use", MachineChecks.port("127.0.0.2", port, machine));
            error("in use", MachineChecks.port(port, machine));
            assertEquals(
                    List.of(), MachineChecks.port("127.0.0.1", port, machine).run());
            error("in use", MachineChecks.port("192.0.2.77", port, machine));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Port-6443", "port-10.0.0.1:6443", "Port-10.0.0.1-6443", "all"})
    void aPortIsIgnoredByEitherNameOfItsCheck(String name) {
        Check port = MachineChecks.port("10.0.0.1", 6443, (at, of) -> Optional.of("in use"));
        RecordingReporter out = new RecordingReporter();
        new Preflight(List.of(name), out).run(List.of(port));
        assertThrows(
                PreflightException.class,
                () -> new Preflight(List.of("Port-6444"), out).run(List.of(port)));
    }

    @Test
    void filesAndDirectoriesAreLookedAt() {
        host.files.with("/d/full/x", "").withDirectory("/d/empty");
        error("already exists", FileChecks.available(Path.of("/d/full/x"), host.files));
        error("does not exist", FileChecks.exists("X", Path.of("/d/y"), host.files));
        error("not empty", FileChecks.etcdDataDir(Path.of("/d/full"), host.files));
        error("not a directory", FileChecks.etcdDataDir(Path.of("/d/full/x"), host.files));
        assertEquals(
                List.of(),
                FileChecks.etcdDataDir(Path.of("/d/empty"), host.files).run());
        error("does not exist", FileChecks.settingOn(Path.of("/proc/sys/net/x"), host.files));
        error("set to 1", FileChecks.settingOn(Path.of("/d/full/x"), host.files));
        error("losetup2", MachineChecks.program("losetup2", host.runner));
    }

    @Test
    void swapIsAWarning() {
        host.files.with("/proc/swaps", "Filename Type\n/dev/sda2 partition 1 0 -2\n");
        warning("/dev/sda2", MachineChecks.swap(host.ports().info()));
    }

    @Test
    void kubeletServiceShouldBeEnabled() {
        host.runner.answering(
                "systemctl show --property=LoadState kubelet", "LoadState=not-found\n");
        warning("does not exist", MachineChecks.service("kubelet", host.ports().services()));
        warning("init system", MachineChecks.service("kubelet", Services.of(new ScriptedRunner())));
        ScriptedRunner openRc = new ScriptedRunner()
                .with("rc-service")
                .answering("rc-service --exists kubelet", "")
                .answering("rc-update show default", "");
        warning(
                "rc-update add kubelet default",
                MachineChecks.service("kubelet", Services.of(openRc)));
    }

    @Test
    void oddAndUnknownNamesAreWarnings() {
        host.names = name -> {
            throw new UnknownHostException(name);
        };
        warning(
                "could not be reached",
                MachineChecks.hostname("node1", host.ports().network().names()));
        assertEquals(
                2,
                MachineChecks.hostname("node_", host.ports().network().names())
                        .run()
                        .size());
    }

    private InstalledKubelet kubelet() {
        return new InstalledKubelet(host.runner);
    }

    @Test
    void kubeletIsAskedOnce() {
        InstalledKubelet kubelet = kubelet();
        assertEquals(kubelet.version(), kubelet.version());
        assertEquals(List.of("kubelet --version"), host.runner.commands());
    }

    @Test
    void kubeletMustBeNeitherTooOldNorTooNew() {
        Optional<KubernetesVersion> older = KubernetesVersion.parse("v1.35.4");
        error("higher", VersionChecks.kubelet(kubelet(), older));
        assertEquals(
                List.of(), VersionChecks.kubelet(kubelet(), Optional.empty()).run());
        host.runner.answering("kubelet --version", "Kubernetes v1.33.0-rc.1\n");
        error("older", VersionChecks.kubelet(kubelet(), older));
        host.runner.answering("kubelet --version", "kubelet of a friend\n");
        assertThrows(HostException.class, kubelet()::version);
    }

    @Test
    void runtimeMustBeReady() {
        host.runtime.state = new State(false, "Starting");
        error("Starting", RuntimeChecks.ready(host.runtime, "unix:///run/c.sock"));
        host.runtime.cgroupDriver = Optional.empty();
        Check version = RuntimeChecks.version(host.runtime, "unix:///run/c.sock");
        assertEquals("ContainerRuntimeVersion", version.name());
        warning("RuntimeConfig", version);
        // kubelets up to 1.37 do without it
        warning("from v1.38 on the kubelet needs it", version);
        host.runtime.down = Optional.of("connection refused");
        Check check = RuntimeChecks.ready(host.runtime, "unix:///run/c.sock");
        assertFalse(assertThrows(HostException.class, check::run).getMessage().isEmpty());
    }
}
