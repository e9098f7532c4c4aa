package io.kjadm.core.staticpod;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is left running of a pod whose manifest is gone. */
class StaticPodShutdownTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final String SOCKET = "unix:///run/c.sock";
    private static final List<String> ETCD = List.of("etcd");

    private final MemoryRuntime runtime = new MemoryRuntime();
    private final VirtualWaiter waiter = new VirtualWaiter(NOW);
    private final RecordingReporter out = new RecordingReporter();
    private final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl")
            .answering("systemctl is-active kubelet", "active\n")
            .answering("systemctl stop kubelet", "")
            .answering("systemctl daemon-reload", "")
            .answering("systemctl start kubelet", "");

    private StaticPodShutdown shutdown(ScriptedRunner commands) {
        return new StaticPodShutdown(
                "etcd",
                new Machine(new MemoryFiles(), commands, runtime, _ -> "", waiter, waiter),
                out);
    }

    private void container(String id, String name, boolean running) {
        runtime.sandboxes.put("sandbox of " + name, true);
        runtime.containers.put(
                id,
                new Container(
                        id,
                        "sandbox of " + name,
                        name,
                        0,
                        running,
                        NOW,
                        Map.of("io.kubernetes.pod.namespace", "kube-system")));
    }

    @Test
    void aKubeletThatIsToForgetAPodIsStartedAnewWhenNothingIsLeftOfIt() {
        container("e", "etcd", true);
        container("a", "kube-apiserver", true);
        shutdown(runner).forget(SOCKET, ETCD);

        assertEquals(
                List.of(
                        "systemctl is-active kubelet",
                        "systemctl stop kubelet",
                        "systemctl daemon-reload",
                        "systemctl start kubelet"),
                runner.commands());
        assertFalse(runtime.containers.get("e").running());
        assertFalse(runtime.sandboxes.get("sandbox of etcd"));
        assertTrue(runtime.containers.get("a").running());
        assertTrue(runtime.sandboxes.get("sandbox of kube-apiserver"));
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void aContainerThatHasNotStartedYetCannotStartAnyMore() {
        container("e", "etcd", false);
        shutdown(runner).forget(SOCKET, ETCD);
        assertFalse(runtime.sandboxes.get("sandbox of etcd"));
    }

    @Test
    void aKubeletThatDoesNotRunStaysStopped() {
        runner.answering("systemctl is-active kubelet", "inactive\n");
        container("e", "etcd", true);
        shutdown(runner).forget(SOCKET, ETCD);
        assertEquals(List.of("systemctl is-active kubelet"), runner.commands());
        assertFalse(runtime.containers.get("e").running());
    }

    @Test
    void itRunsAgainEvenIfTheRuntimeDoesNotAnswer() {
        runtime.refusals.put("containers", 1);
        shutdown(runner).forget(SOCKET, ETCD);
        assertEquals("systemctl start kubelet", runner.commands().getLast());
        assertTrue(
                out.warnings().getFirst().startsWith("etcd may still run: "),
                out.warnings()::toString);
    }

    @Test
    void withoutAnInitSystemTheKubeletIsGivenTime() {
        container("e", "etcd", true);
        waiter.eachTime(() -> {
            if (waiter.elapsed().compareTo(Duration.ofSeconds(3)) >= 0) {
                runtime.stopContainer("e", Duration.ZERO);
            }
        });
        shutdown(new ScriptedRunner()).forget(SOCKET, ETCD);
        assertFalse(runtime.containers.get("e").running());
        assertTrue(runtime.sandboxes.get("sandbox of etcd"), "the kubelet's to end");
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void stoppedForGoodTheKubeletStaysStopped() {
        container("e", "etcd", true);
        assertEquals(Optional.empty(), shutdown(runner).stopForGood(SOCKET));
        assertEquals(List.of("systemctl stop kubelet"), runner.commands());
        assertFalse(runtime.containers.get("e").running());
    }
}
