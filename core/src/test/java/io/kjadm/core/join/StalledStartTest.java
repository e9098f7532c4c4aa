package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A learner that follows and serves nobody is started again, once. */
class StalledStartTest {

    private static final Duration A_WHILE = Duration.ofSeconds(2);

    private final VirtualWaiter waiter = new VirtualWaiter();
    private final MemoryRuntime runtime = new MemoryRuntime();
    private String ready = "";
    private final StalledStart stalled = new StalledStart(url -> ready,
            URI.create("http://127.0.0.1:2381"), runtime, "unix:///run/c.sock", waiter,
            new RecordingReporter());

    StalledStartTest() {
        runtime.containers.put("etcd", new Container("etcd", "s", "etcd", 0, true, Instant.EPOCH,
                Map.of("io.kubernetes.pod.namespace", "kube-system")));
    }

    private void passes(Duration time) {
        waiter.pause("etcd", "a while", time);
    }

    @Test
    void oneThatHasBeenReadyForAWhileIsStartedAgainOnce() {
        stalled.observe();
        assertEquals(List.of(), stalled.help(), "it has only just become ready");
        passes(A_WHILE);
        assertEquals(List.of("etcd"), stalled.help());
        passes(A_WHILE);
        assertEquals(List.of(), stalled.help());
    }

    @Test
    void oneThatIsNotReadyAnyMoreIsNotStalled() {
        stalled.observe();
        passes(A_WHILE);
        ready = "HTTP 503";
        stalled.observe();
        assertEquals(List.of(), stalled.help());
        ready = "";
        stalled.observe();
        assertEquals(List.of(), stalled.help(), "it has only just become ready again");
        passes(A_WHILE);
        assertEquals(List.of("etcd"), stalled.help());
    }
}
