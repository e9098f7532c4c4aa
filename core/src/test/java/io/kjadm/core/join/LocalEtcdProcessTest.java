package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A learner that follows and serves nobody is started again, once. */
class StalledLearnerRestartTest {

    private static final Duration A_WHILE = Duration.ofSeconds(2);

    private final VirtualWaiter waiter = new VirtualWaiter();
    private final MemoryRuntime runtime = new MemoryRuntime();
    private final RecordingReporter out = new RecordingReporter();
    private final List<URI> asked = new ArrayList<>();
    private String ready = "";
    private final StalledLearnerRestart stalled = new StalledLearnerRestart(
            url -> {
                asked.add(url);
                return ready;
            },
            URI.create("http://127.0.0.1:2381"),
            runtime,
            "unix:///run/c.sock",
            waiter,
            out);

    StalledLearnerRestartTest() {
        container("etcd", "etcd", true);
    }

    private void container(String id, String name, boolean running) {
        runtime.containers.put(
                id,
                new Container(
                        id,
                        "s",
                        name,
                        0,
                        running,
                        Instant.EPOCH,
                        Map.of("io.kubernetes.pod.namespace", "kube-system")));
    }

    private void passes(Duration time) {
        waiter.pause("etcd", "a while", time);
    }

    @Test
    void oneThatHasBeenReadyForAWhileIsStartedAgainOnce() {
        stalled.observe();
        assertEquals(List.of(), stalled.help(false), "it has only just become ready");
        passes(Duration.ofMillis(999));
        assertEquals(List.of(), stalled.help(false), "it has only just become ready");
        passes(Duration.ofMillis(1));
        assertEquals(List.of("etcd"), stalled.help(false));
        assertFalse(runtime.containers.get("etcd").running());
        assertEquals(
                List.of("[etcd] The new member follows the leader but does not serve clients: "
                        + "restarting it"),
                out.lines());
        container("etcd-again", "etcd", true);
        asked.clear();
        stalled.observe();
        passes(A_WHILE);
        assertEquals(List.of(), stalled.help(false));
        assertEquals(List.of(), asked, "nobody wants to know any more");
    }

    @Test
    void onlyItsRunningContainerIsEnded() {
        container("ended", "etcd", false);
        container("other", "kube-apiserver", true);
        stalled.observe();
        passes(A_WHILE);
        assertEquals(List.of("etcd"), stalled.help(false));
        assertTrue(runtime.containers.get("other").running());
    }

    @Test
    void aRuntimeThatRefusesLeavesItAsItIs() {
        runtime.refusals.put("etcd", 1);
        stalled.observe();
        passes(A_WHILE);
        assertEquals(List.of(), stalled.help(false));
        assertTrue(
                out.details().getFirst().contains("the member was not restarted"),
                out.details().toString());
        passes(A_WHILE);
        assertEquals(List.of(), stalled.help(false), "it only saves time");
    }

    @Test
    void oneThatIsNotReadyAnyMoreIsNotStalled() {
        stalled.observe();
        passes(A_WHILE);
        ready = "HTTP 503";
        stalled.observe();
        assertEquals(List.of(), stalled.help(false));
        ready = "";
        stalled.observe();
        assertEquals(List.of(), stalled.help(false), "it has only just become ready again");
        passes(A_WHILE);
        assertEquals(List.of("etcd"), stalled.help(false));
    }

    @Test
    void oneThatTheClusterListsByItsNameIsNotGivenThatLong() {
        stalled.observe();
        passes(Duration.ofMillis(249));
        assertEquals(List.of(), stalled.help(true), "it may be about to serve");
        passes(Duration.ofMillis(1));
        assertEquals(List.of(), stalled.help(false));
        assertEquals(List.of("etcd"), stalled.help(true));
    }
}
