package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.join.StartProblem;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The etcd of a joining node, seen through its container runtime while the clock is moved by hand.
 */
class StaticPodWatchTest extends StaticPodWatchLab {

    private static final String BUSY =
            "{\"level\":\"fatal\",\"msg\":\"discovery failed\",\"error\":\"bind: address already in use\"}";
    private static final String ODD = "{\"level\":\"fatal\",\"msg\":\"never heard of\"}";

    @Test
    void aContainerThatRunsIsNoCause() {
        runs(0);
        assertEquals(Optional.empty(), after(600));
    }

    @Test
    void whatNoNewStartMendsIsToldAtTheFirstEnd() {
        runs(0);
        after(5);
        ends(0, 1, FULL);
        StartProblem cause = after(1).orElseThrow();
        assertEquals(
                "this node's etcd exited with status 1: its disk is full",
                cause.problem().what());
        assertEquals("cannot save: no space left on device", cause.problem().why());
        assertFalse(cause.passing());
    }

    @Test
    void oneCrashIsTheKubeletsBusiness() {
        runs(0);
        after(5);
        ends(0, 137, ODD);
        assertEquals(Optional.empty(), after(20));
        runs(1);
        assertEquals(Optional.empty(), after(600));
    }

    @Test
    void aCrashLoopIsToldAtTheSecondEndWithItsLastFatalLine() {
        runs(0);
        after(1);
        ends(0, 1, ODD);
        assertEquals(Optional.empty(), after(2));
        runs(1);
        assertEquals(Optional.empty(), after(1));
        ends(1, 1, ODD);
        StartProblem cause = after(1).orElseThrow();
        assertEquals(
                "this node's etcd exited 2 times, most recently with status 1",
                cause.problem().what());
        assertEquals("never heard of", cause.problem().why());
        assertEquals("see its log with 'crictl logs e1'", cause.problem().next());
    }

    @Test
    void whatMayHealIsGivenASecondStart() {
        runs(0);
        after(1);
        ends(0, 1, BUSY);
        assertEquals(Optional.empty(), after(5));
        runs(1);
        after(1);
        ends(1, 1, BUSY);
        assertTrue(
                after(1).orElseThrow().problem().what().endsWith("another program uses its port"));
    }

    @Test
    void aCrashAfterALongLifeBeginsTheCountAnew() {
        runs(0);
        after(1);
        ends(0, 137, ODD);
        after(1);
        runs(1);
        after(180);
        ends(1, 137, ODD);
        assertEquals(Optional.empty(), after(5));
        runs(2);
        after(1);
        ends(2, 137, ODD);
        assertTrue(after(1).isPresent());
    }

    @Test
    void whoWasAskedToStopDidNotCrash() {
        for (int attempt = 0; attempt < 4; attempt++) {
            runs(attempt);
            after(2);
            ends(attempt, 0, "{\"level\":\"info\",\"msg\":\"closed etcd server\"}");
            assertEquals(Optional.empty(), after(2));
        }
    }

    @Test
    void whoWasAskedToStopInTheMiddleOfItsStartDidNotCrashEither() {
        runs(0);
        after(5);
        ends(0, 137, ODD);
        after(2);
        runs(1);
        after(5);
        watch.asked(List.of("e1"));
        ends(1, 2, ODD);
        assertEquals(Optional.empty(), after(2));
        runs(2);
        after(5);
        ends(2, 1, ODD);
        assertEquals(
                "this node's etcd exited 2 times, most recently with status 1",
                after(1).orElseThrow().problem().what());
    }

    @Test
    void aMemberThatWasRemovedEndsInPeaceAndIsTold() {
        runs(0);
        after(2);
        ends(
                0,
                0,
                "{\"level\":\"warn\",\"msg\":\"server error\",\"error\":"
                        + "\"the member has been permanently removed from the cluster\"}");
        StartProblem cause = after(1).orElseThrow();
        assertFalse(cause.passing());
        assertTrue(
                cause.problem().what().startsWith("this node's etcd exited with status 0: "),
                cause.problem().what());
    }

    @Test
    void aContainerThatCouldNotBeStartedTellsByTheRuntime() {
        runs(0);
        ends(0, 128, "StartError", "exec: \"etcd\": executable file not found in $PATH", "");
        after(1);
        runs(1);
        ends(1, 128, "StartError", "exec: \"etcd\": executable file not found in $PATH", "");
        assertEquals(
                "StartError: exec: \"etcd\": executable file not found in $PATH",
                after(1).orElseThrow().problem().why());
    }

    @Test
    void aKernelThatIsShortOfMemoryIsNamed() {
        for (int attempt = 0; attempt < 2; attempt++) {
            runs(attempt);
            ends(attempt, 137, "OOMKilled", "", "{\"level\":\"warn\",\"msg\":\"slow\"}");
            after(1);
        }
        assertEquals(
                "the kernel killed it because it used too much memory (OOMKilled)",
                watch.cause().orElseThrow().problem().why());
    }

    @Test
    void anEndWithoutAWordIsToldToo() {
        for (int attempt = 0; attempt < 2; attempt++) {
            runs(attempt);
            ends(attempt, 1, "");
            after(1);
        }
        assertEquals(
                "its log has no error message",
                watch.cause().orElseThrow().problem().why());
    }

    @Test
    void aLogThatComesLateIsReadAgain() {
        runs(0);
        ends(0, 1, "{\"level\":\"error\",\"msg\":\"first words\"}");
        assertEquals(Optional.empty(), after(1));
        files.with(
                "/var/log/pods/kube-system_etcd-cp-2_u/etcd/0.log",
                "2026-02-03T04:05:06Z stderr F %s\n".formatted(FULL));
        assertTrue(after(1).isPresent());
    }

    @Test
    void aContainerThatWasOnlyMadeHasNotEnded() {
        container("e0", 0, false, clock.now());
        runtime.exits.put("e0", new Exit(Optional.empty(), 0, "", "", ""));
        assertEquals(Optional.empty(), after(60));
    }

    @Test
    void aMissingImageIsToldAfterHalfAMinute() {
        runtime.images.clear();
        assertEquals(Optional.empty(), after(30));
        StartProblem cause = after(1).orElseThrow();
        assertTrue(cause.problem().why().contains(IMAGE), cause.problem().why());
        assertEquals(
                "pull it with 'crictl pull %s', which shows the error".formatted(IMAGE),
                cause.problem().next());
    }

    @Test
    void anImageThatArrivesInTimeIsFine() {
        runtime.images.clear();
        after(20);
        runtime.images.add(IMAGE);
        assertEquals(Optional.empty(), after(20));
        runs(0);
        assertEquals(Optional.empty(), after(20));
    }

    @Test
    void aKubeletThatDoesNotRunIsNamed() {
        runner.answering("systemctl is-active kubelet", new Output(3, "inactive\n", ""));
        assertEquals(Optional.empty(), after(9));
        StartProblem cause = after(7).orElseThrow();
        assertEquals("the kubelet does not run", cause.problem().why());
        runner.answering("systemctl is-active kubelet", "active\n");
        assertEquals(Optional.empty(), after(6));
    }

    @Test
    void aKubeletThatMakesNoContainerIsToldInTheEnd() {
        assertEquals(Optional.empty(), after(119));
        assertEquals(
                Set.of("/etc/kubernetes/manifests/etcd.yaml"),
                Named.files(after(2).orElseThrow().problem().why()));
    }

    @Test
    void aRuntimeThatDoesNotAnswerAccusesNobody() {
        runtime.images.clear();
        after(25);
        runtime.down = Optional.of("Connection refused");
        assertEquals(Optional.empty(), after(300));
        runtime.down = Optional.empty();
        assertEquals(Optional.empty(), after(25), "the time in between does not count");
        assertTrue(after(10).isPresent());
    }

    @Test
    void anUnusableManifestNamesNoImage() {
        files.with("/etc/kubernetes/manifests/etcd.yaml", "spec: [");
        runtime.images.clear();
        assertEquals(Optional.empty(), after(60));
    }

    @Test
    void theRuntimeIsAskedTwiceASecondHoweverOftenTheCauseIs() {
        runs(0);
        watch.cause();
        runtime.down = Optional.of("it must not be asked");
        ends(0, 1, FULL);
        assertEquals(Optional.empty(), watch.cause());
        runtime.down = Optional.empty();
        assertEquals(Optional.empty(), watch.cause());
        assertTrue(after(1).isPresent());
    }
}
