package io.kjadm.core.preflight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.check.Finding;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.cri.ReportingRuntimeConnector;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.value.ImagePullPolicy;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;

class ImagePullTest {

    private static final String PAUSE = "registry.k8s.io/pause:3.10.2";
    private static final String ETCD = "registry.k8s.io/etcd:3.6.8-0";

    private final MemoryRuntime runtime = new MemoryRuntime();

    private static ImagePulls pulls(ImagePullPolicy policy, boolean serial) {
        return new ImagePulls(List.of(PAUSE, ETCD), PAUSE, "unix:///run/c.sock", policy, serial);
    }

    private List<Finding> findings(ImagePullPolicy policy, boolean serial) {
        return RuntimeChecks.images(pulls(policy, serial), runtime).run();
    }

    @Test
    void presentImagesAreNotPulledAgain() {
        runtime.images.add(PAUSE);
        assertEquals(List.of(), findings(ImagePullPolicy.IF_NOT_PRESENT, true));
        assertEquals(List.of(ETCD), runtime.pulls);
    }

    @Test
    void alwaysPullsAllAndNeverNone() {
        runtime.images.add(PAUSE);
        assertEquals(List.of(), findings(ImagePullPolicy.NEVER, true));
        assertEquals(List.of(), runtime.pulls);
        assertEquals(List.of(), findings(ImagePullPolicy.ALWAYS, true));
        assertEquals(List.of(PAUSE, ETCD), runtime.pulls);
    }

    @Test
    void parallelPullsAreComplete() {
        assertEquals(List.of(), findings(ImagePullPolicy.ALWAYS, false));
        assertEquals(Set.of(PAUSE, ETCD), Set.copyOf(runtime.pulls));
    }

    @Test
    void fifthAttemptMayWork() {
        runtime.refusals.put(ETCD, 4);
        assertEquals(List.of(), findings(ImagePullPolicy.ALWAYS, true));
    }

    @Test
    void refusedImageIsAnErrorAndTheOthersAreStillPulled() {
        runtime.refusals.put(PAUSE, 5);
        for (boolean serial : List.of(true, false)) {
            runtime.refusals.put(PAUSE, 5);
            List<Finding> findings = findings(ImagePullPolicy.ALWAYS, serial);
            assertEquals(
                    List.of(Finding.error("failed to pull image %s: not now".formatted(PAUSE))),
                    findings);
            assertTrue(runtime.images.contains(ETCD));
        }
    }

    @Test
    void otherSandboxImageIsAWarning() {
        runtime.sandboxImage = Optional.of("registry.k8s.io/pause:3.8");
        List<Finding> findings = findings(ImagePullPolicy.ALWAYS, true);
        assertEquals(Finding.Level.WARNING, findings.getFirst().level());
        runtime.sandboxImage = Optional.of(PAUSE);
        assertEquals(List.of(), findings(ImagePullPolicy.ALWAYS, true));
    }

    @Test
    void dryRunNamesEveryImageEvenWithoutARuntime() {
        runtime.down = Optional.of("connection refused");
        RecordingReporter out = new RecordingReporter();
        assertEquals(
                List.of(),
                RuntimeChecks.images(
                                pulls(ImagePullPolicy.IF_NOT_PRESENT, true),
                                new ReportingRuntimeConnector(runtime, out))
                        .run());
        assertEquals(
                List.of("[dryrun] Would pull image " + PAUSE, "[dryrun] Would pull image " + ETCD),
                out.lines());
    }
}
