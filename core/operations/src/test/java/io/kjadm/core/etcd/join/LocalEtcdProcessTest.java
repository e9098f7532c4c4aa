package io.kjadm.core.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.staticpod.StaticPods;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A learner that follows and serves nobody is started again, once. */
class LocalEtcdProcessTest {

    private static final Duration A_WHILE = Duration.ofSeconds(2);

    private final VirtualWaiter waiter = new VirtualWaiter();
    private final MemoryRuntime runtime = new MemoryRuntime();
    private final RecordingReporter out = new RecordingReporter();
    private final List<URI> asked = new ArrayList<>();
    private String ready = "";
    private final LocalEtcdProcess process = new LocalEtcdProcess(
            url -> {
                asked.add(url);
                return ready;
            },
            URI.create("http://127.0.0.1:2381"),
            () -> new StaticPods(runtime).stop("etcd", Duration.ofSeconds(5)),
            waiter,
            out);

    LocalEtcdProcessTest() {
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
        process.observe();
        assertEquals(List.of(), process.restartIfStalled(false), "it has only just become ready");
        passes(Duration.ofMillis(999));
        assertEquals(List.of(), process.restartIfStalled(false), "it has only just become ready");
        passes(Duration.ofMillis(1));
        assertEquals(List.of("etcd"), process.restartIfStalled(false));
        assertFalse(runtime.containers.get("etcd").running());
        assertEquals(
                List.of("[etcd] The new member follows the leader but does not serve clients: "
                        + "restarting it"),
                out.lines());
        container("etcd-again", "etcd", true);
        asked.clear();
        process.observe();
        passes(A_WHILE);
        assertEquals(List.of(), process.restartIfStalled(false));
        assertEquals(List.of(), asked, "it was asked again");
    }

    @Test
    void onlyItsRunningContainerIsEnded() {
        container("ended", "etcd", false);
        container("other", "kube-apiserver", true);
        process.observe();
        passes(A_WHILE);
        assertEquals(List.of("etcd"), process.restartIfStalled(false));
        assertTrue(runtime.containers.get("other").running());
    }

    @Test
    void aRuntimeThatRefusesLeavesItAsItIs() {
        runtime.refusals.put("etcd", 1);
        process.observe();
        passes(A_WHILE);
        assertEquals(List.of(), process.restartIfStalled(false));
        assertEquals(1, out.details().size(), out.details().toString());
        passes(A_WHILE);
        assertEquals(List.of(), process.restartIfStalled(false), "it only saves time");
    }

    @Test
    void oneThatIsNotReadyAnyMoreIsNotStalled() {
        process.observe();
        passes(A_WHILE);
        ready = "HTTP 503";
        process.observe();
        assertEquals(List.of(), process.restartIfStalled(false));
        ready = "";
        process.observe();
        assertEquals(
                List.of(), process.restartIfStalled(false), "it has only just become ready again");
        passes(A_WHILE);
        assertEquals(List.of("etcd"), process.restartIfStalled(false));
    }

    @Test
    void oneThatTheClusterListsByItsNameIsNotGivenThatLong() {
        process.observe();
        passes(Duration.ofMillis(249));
        assertEquals(List.of(), process.restartIfStalled(true), "it may be about to serve");
        passes(Duration.ofMillis(1));
        assertEquals(List.of(), process.restartIfStalled(false));
        assertEquals(List.of("etcd"), process.restartIfStalled(true));
    }
}
