package io.kjadm.core.cri;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime.CgroupDriver;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.cri.ContainerRuntime.State;
import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.RecordingReporter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The client talks over a real unix socket to a server in this process. */
class CriRuntimeTest {

    @TempDir
    private Path directory;

    private final CriConnector connector = new CriConnector();

    @AfterEach
    void disconnect() {
        connector.close();
    }

    private Path socket() {
        return directory.resolve("cri.sock");
    }

    private ContainerRuntime runtime() {
        return connector.connect("unix://" + socket());
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix:///run/c.sock", "unix:/run/c.sock", "/run/c.sock"})
    void aSocketIsWrittenInOneOfThreeWays(String endpoint) {
        assertEquals(Path.of("/run/c.sock"), CriConnector.pathOf(endpoint));
    }

    @Test
    void answersAreTranslated() throws IOException {
        try (CriServer _ = new CriServer(socket(), false)) {
            ContainerRuntime runtime = runtime();
            assertEquals("small 1.2.3", runtime.version());
            assertEquals(new State(true, ""), runtime.state());
            assertEquals(Optional.of("registry.k8s.io/pause:3.9"), runtime.sandboxImage());
            assertEquals(Optional.of(CgroupDriver.CGROUPFS), runtime.cgroupDriver());
            assertEquals(
                    List.of(new ContainerRuntime.Container(
                            "c1",
                            "s1",
                            "etcd",
                            2,
                            false,
                            Instant.ofEpochSecond(1, 500_000_000),
                            Map.of("io.kubernetes.pod.name", "etcd-node1"))),
                    runtime.containers());
            assertEquals(
                    Optional.of(new Exit(
                            Optional.of(Instant.ofEpochSecond(2)),
                            1,
                            "Error",
                            "",
                            "/var/log/pods/x/etcd/2.log")),
                    runtime.exitOf("c1"));
            assertEquals(Optional.empty(), runtime.exitOf("other"));
        }
    }

    @Test
    void sandboxesAreRemovedAndGoneOnesAreNoFailure() throws IOException {
        try (CriServer _ = new CriServer(socket(), false)) {
            ContainerRuntime runtime = runtime();
            assertEquals(List.of("s1", "s2"), runtime.sandboxes());
            runtime.stopSandbox("s1");
            runtime.removeSandbox("s1");
            runtime.stopSandbox("s1");
            assertEquals(List.of("s2"), runtime.sandboxes());
        }
    }

    @Test
    void imagesArePulledAndRefusalsAreTold() throws IOException {
        try (CriServer server = new CriServer(socket(), false)) {
            ContainerRuntime runtime = runtime();
            String image = "registry.k8s.io/etcd:3.6.8-0";
            assertFalse(runtime.hasImage(image));
            runtime.pull(image);
            assertTrue(runtime.hasImage(image));
            assertTrue(server.pullDeadline.isPresent(), "a pull that hangs would never end");
            HostException refused =
                    assertThrows(HostException.class, () -> runtime.pull("missing:1"));
            assertEquals("UNKNOWN: manifest unknown", refused.why());
        }
    }

    @Test
    void aCallThatIsInterruptedSaysSo() throws IOException {
        try (CriServer _ = new CriServer(socket(), false)) {
            ContainerRuntime runtime = runtime();
            Thread.currentThread().interrupt();
            HostException interrupted = assertThrows(HostException.class, runtime::containers);
            assertTrue(Thread.interrupted(), "whoever asked it to stop is heard");
            assertEquals("the program was asked to stop", interrupted.why());
        }
    }

    @Test
    void oldRuntimeDoesNotKnowItsCgroupDriver() throws IOException {
        try (CriServer _ = new CriServer(socket(), true)) {
            assertEquals(Optional.empty(), runtime().cgroupDriver());
            assertEquals(new State(false, "Starting wait"), runtime().state());
        }
    }

    @Test
    void withoutAServerEveryCallFailsNamingTheSocket() {
        HostException failed = assertThrows(HostException.class, () -> runtime().sandboxes());
        assertEquals(
                "the container runtime at unix://%s did not list its pod sandboxes"
                        .formatted(socket()),
                failed.what());
        assertThrows(HostException.class, () -> runtime().cgroupDriver());
        assertFalse(connector.canConnect(socket()));
    }

    @Test
    void detectionConnectsForReal() throws IOException {
        try (CriServer _ = new CriServer(socket(), false)) {
            assertTrue(connector.canConnect(socket()));
        }
    }

    @Test
    void oneSocketIsOneRuntimeAndOtherSchemesAreRefused() {
        assertSame(runtime(), runtime());
        assertEquals(Path.of("/run/x.sock"), CriConnector.pathOf("/run/x.sock"));
        assertThrows(HostException.class, () -> connector.connect("tcp://127.0.0.1:1"));
    }

    @Test
    void dryRunAsksAndReports() throws IOException {
        try (CriServer _ = new CriServer(socket(), false)) {
            RecordingReporter out = new RecordingReporter();
            ContainerRuntime runtime =
                    new ReportingRuntimeConnector(connector, out).connect("unix://" + socket());
            runtime.stopSandbox("s1");
            runtime.removeSandbox("s1");
            runtime.pull("a:1");
            assertEquals(List.of("s1", "s2"), runtime.sandboxes());
            assertEquals(
                    List.of(
                            "[dryrun] Would stop pod sandbox s1",
                            "[dryrun] Would remove pod sandbox s1",
                            "[dryrun] Would pull image a:1"),
                    out.lines());
        }
    }
}
