package io.kjadm.core.join;

import static io.kjadm.core.join.JoinLab.DATA;
import static io.kjadm.core.join.JoinLab.MANIFESTS;
import static io.kjadm.core.join.JoinLab.NOTE;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.RejoinOptions;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a join that fails, or is stopped, rolls back, and what it says. */
class EtcdJoinFailureTest extends EtcdJoinScene {

    private static final String NO_SPACE = "no space left on device";

    @Test
    void aMemberThatNeverStartsIsTakenBack() {
        lab.kubeletWorks = false;
        ClusterException refused = refused();
        assertEquals(Optional.of(FailReason.START_FAILED), refused.reason());
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofMinutes(3)) < 0,
                () -> "nothing ran, but it was waited for " + lab.waiter.elapsed());
        assertEquals(List.of("addLearner", "remove"), verbs());
        assertTakenBack();
    }

    @Test
    void aMemberThatNeverCatchesUpIsTakenBackAndItsDataSetAside() {
        lab.waiter.eachTime(() -> lab.own()
                .filter(member -> member.started())
                .ifPresent(member -> lab.etcd.lag(member.id(), 50)));
        assertEquals(
                Set.of("/var/lib/etcd.failed-20261120-103000"),
                Named.files(refused().why()));
        assertEquals(List.of(), lab.files.list(DATA));
        assertTakenBack();
    }

    /**
     * A kubelet that has not reached an API server keeps the pod, and starts its container again
     * and again.
     */
    @Test
    void theKubeletForgetsTheMemberBeforeItsDataIsSetAside() {
        lab.kubeletWorks = false;
        lab.runner
                .answering("systemctl is-active kubelet", "active\n")
                .answering("systemctl start kubelet", "");
        boolean[] pod = {false};
        lab.waiter.eachTime(() -> {
            pod[0] |= lab.files.exists(MANIFESTS.resolve("etcd.yaml"));
            if (pod[0] && !lab.runner.commands().contains("systemctl stop kubelet")) {
                lab.files.with(
                        DATA + "/member/snap/db", "of a container that was started and died");
            }
        });
        assertEquals(
                Set.of(
                        "/etc/kubernetes/manifests/etcd.yaml",
                        "/var/lib/etcd.failed-20261120-100200"),
                Named.files(refused().why()));
        List<String> commands = lab.runner.commands();
        assertTrue(
                commands.indexOf("systemctl stop kubelet")
                        < commands.indexOf("systemctl start kubelet"),
                commands::toString);
        assertEquals(List.of(), lab.files.list(DATA));
        assertTakenBack();
    }

    @Test
    void aMemberThatSomebodyRemovedIsNotWaitedFor() {
        lab.kubeletWorks = false;
        lab.waiter.after(
                Duration.ofSeconds(3),
                () -> lab.etcd.removeByOther(lab.own().orElseThrow().id()));
        ClusterException refused = refused();
        assertEquals(Optional.of(FailReason.REMOVED), refused.reason());
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofMinutes(1)) < 0);
        assertFalse(lab.files.exists(NOTE));
    }

    @Test
    void aFaultOnThisNodeTakesTheLearnerBack() {
        lab.failpoints = Failpoints.from(Map.of("KJADM_FAILPOINT", "STARTED:before=error"));
        ClusterException refused = refused();
        assertEquals(
                "failpoint STARTED before: KJADM_FAILPOINT asks for it; unset KJADM_FAILPOINT (etcd member a002, which this node had added, was removed again; its data was moved to /var/lib/etcd.failed-20261120-100000)",
                refused.why());
        assertTrue(refused.next().endsWith("run the same command again"), refused.next());
        assertTakenBack();
    }

    /** The program is asked to stop when the member is listed; what comes of it. */
    private ClusterException interruptedBy(RuntimeException failure) {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        boolean[] asked = {false};
        lab.waiter.eachTime(() -> {
            if (lab.own().isPresent() && !asked[0]) {
                asked[0] = true;
                Thread.currentThread().interrupt();
                throw failure;
            }
        });
        PhaseFailure told = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        assertTrue(Thread.interrupted(), "whoever asked it to stop is heard");
        return assertInstanceOf(ClusterException.class, told.getCause());
    }

    @Test
    void aJoinThatIsInterruptedTakesItsLearnerBackAndStaysInterrupted() {
        ClusterException told = interruptedBy(
                new ClusterException("interrupted", "the program was asked to stop", ""));
        assertEquals("run the same command again", told.next());
        assertTakenBack();
    }

    /** As a time limit around the program does it. */
    @Test
    void aSignalThatComesWhileTheLearnerIsTakenBackDoesNotStopThat() {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        Thread caller = Thread.currentThread();
        int[] signals = {0};
        boolean[] failed = {false};
        lab.etcd.beforeList(() -> {
            if (failed[0]) {
                signals[0]++;
                caller.interrupt();
                if (Thread.interrupted()) {
                    throw new ClusterException("interrupted while waiting", "asked to stop", "");
                }
            }
        });
        lab.waiter.eachTime(() -> {
            if (!failed[0] && lab.own().isPresent()) {
                failed[0] = true;
                throw new ClusterException("the member does not start", "no reason", "look");
            }
        });
        PhaseFailure told = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        assertTrue(Thread.interrupted(), "whoever asked it to stop is heard");
        lab.etcd.beforeList(() -> {});
        assertTrue(signals[0] > 0, "the signal did come meanwhile");
        assertInstanceOf(ClusterException.class, told.getCause());
        assertTakenBack();
    }

    /** Not every call says that it was interrupted. */
    @Test
    void anInterruptionThatLooksLikeAnotherFaultIsToldAsOne() {
        ClusterException told = interruptedBy(new HostException(
                "the container runtime did not answer",
                "the program was asked to stop",
                "see why"));
        assertEquals("interrupted while the etcd member joined", told.what());
        assertEquals("run the same command again", told.next());
        assertTakenBack();
    }

    @Test
    void aContainerThatDiesOfSomethingHopelessIsFoundSoonWithItsLastWords() {
        lab.kubeletWorks = false;
        String log = "/var/log/pods/etcd/0.log";
        lab.files.with(log, """
                2026-02-03T04:05:06Z stderr F {"level":"info","msg":"starting"}
                2026-02-03T04:05:07Z stderr F {"level":"fatal","msg":"cannot save","error":"%s"}
                """.formatted(NO_SPACE));
        lab.waiter.eachTime(() -> {
            if (lab.files.exists(JoinLab.MANIFESTS.resolve("etcd.yaml"))
                    && lab.runtime.containers.isEmpty()) {
                lab.runtime.containers.put(
                        "c",
                        new ContainerRuntime.Container(
                                "c",
                                "s",
                                "etcd",
                                0,
                                false,
                                lab.waiter.now(),
                                Map.of("io.kubernetes.pod.namespace", "kube-system")));
                lab.runtime.exits.put(
                        "c",
                        new ContainerRuntime.Exit(
                                Optional.of(lab.waiter.now()), 1, "Error", "", log));
            }
        });
        ClusterException refused = refused();
        assertEquals(Optional.of(FailReason.START_FAILED), refused.reason());
        assertTrue(refused.why().contains(NO_SPACE), refused.why());
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofSeconds(10)) < 0,
                lab.waiter.elapsed()::toString);
        assertTakenBack();
    }

    @Test
    void aKeptLearnerIsGoneOnWithByTheSameCommand() {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        JoinOptions keep = new JoinOptions(
                List.of(),
                new RejoinOptions(false, false, true, false, false, Optional.empty()),
                JoinLimits.DEFAULTS);
        JoinRun keeping = new JoinRun(
                run.config(),
                keep,
                run.startedAt(),
                run.discovered(),
                run.unfinished(),
                run.resumed());
        PhaseFailure failure =
                assertThrows(PhaseFailure.class, () -> lab.phases(keeping, "etcd-join"));
        assertEquals(
                Optional.of(FailReason.START_FAILED),
                assertInstanceOf(ClusterException.class, failure.getCause()).reason());
        MemberId learner = lab.own().orElseThrow().id();
        assertTrue(lab.files.exists(NOTE));
        lab.kubeletWorks = true;
        lab.phases(run, "etcd-join");
        assertVoter();
        assertEquals(learner, lab.own().orElseThrow().id());
    }
}
