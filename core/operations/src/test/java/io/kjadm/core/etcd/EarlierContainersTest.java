package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Containers that are not of the member that starts: of an earlier one, or of other pods. */
class EarlierContainersTest extends StaticPodWatchLab {

    @Test
    void deadContainersOfAnEarlierMemberSayNothing() {
        runs(0);
        ends(0, 1, FULL);
        clock.pause("", "", Duration.ofSeconds(5));
        watch.starts();
        assertEquals(Optional.empty(), after(20));
        runs(1);
        assertEquals(Optional.empty(), after(20));
    }

    @Test
    void aRunThatGoesOnLooksOnlyAtWhatEndsFromNowOn() {
        runs(0);
        ends(0, 1, FULL);
        clock.pause("", "", Duration.ofSeconds(5));
        watch.resumes();
        assertEquals(Optional.empty(), after(20));
        runs(1);
        clock.pause("", "", Duration.ofSeconds(5));
        watch.resumes();
        ends(1, 1, FULL);
        assertTrue(after(1).isPresent(), "it was made before and ended now");
    }

    /** The machine's clock was set back since kjadm began, as on a new machine: kjadm's own was not. */
    @Test
    void aContainerIsSeenWhereTheClockWasSetBack() {
        container("e0", 0, true, clock.now().minus(Duration.ofMinutes(5)));
        assertEquals(Optional.empty(), after(150));
    }

    @Test
    void aCrashAfterTheClockWasSetBackIsTold() {
        runs(0);
        watch.resumes();
        container("e0", 0, false, clock.now());
        files.with("/var/log/pods/e0.log", "2026-02-03T04:05:06Z stderr F %s\n".formatted(FULL));
        runtime.exits.put(
                "e0",
                new Exit(
                        Optional.of(clock.now().minus(Duration.ofMinutes(5))),
                        1,
                        "Error",
                        "",
                        "/var/log/pods/e0.log"));
        assertTrue(after(1).isPresent());
    }

    @Test
    void whatRanBeforeIsAnotherMembersWhateverItsTime() {
        container("old", 0, true, clock.now().plus(Duration.ofMinutes(5)));
        watch.starts();
        assertEquals(Optional.empty(), after(60));
        container("old", 0, false, clock.now().plus(Duration.ofMinutes(5)));
        runtime.exits.put("old", new Exit(Optional.of(clock.now()), 1, "Error", "", ""));
        assertEquals(
                Set.of("/etc/kubernetes/manifests/etcd.yaml"),
                Named.files(after(121).orElseThrow().problem().why()),
                "the kubelet has made none of the new manifest");
    }

    /** The manifest that was there before is put back: the kubelet makes the same pod of it again. */
    @Test
    void anotherContainerOfTheSamePodIsThisMembers() {
        runs(0);
        ends(0, 1, FULL);
        watch.starts();
        after(1);
        runs(1);
        assertEquals(Optional.empty(), after(600));
    }

    @Test
    void whereTheRuntimeDoesNotTellWhatWasThereNobodyIsAccusedOfIt() {
        runs(0);
        ends(0, 1, FULL);
        runtime.down = Optional.of("Connection refused");
        watch.starts();
        after(1);
        runtime.down = Optional.empty();
        assertEquals(Optional.empty(), after(20));
        runs(1);
        after(1);
        ends(1, 1, FULL);
        assertTrue(after(1).isPresent());
    }

    @Test
    void aContainerThatWasOnlyMadeWhenARunResumesCanStillCrash() {
        container("e0", 0, false, clock.now());
        runtime.exits.put("e0", new Exit(Optional.empty(), 0, "", "", ""));
        watch.resumes();
        assertEquals(Optional.empty(), after(1));
        ends(0, 1, FULL);
        assertTrue(after(1).isPresent());
    }

    @Test
    void containersOfOthersAreNotThisEtcd() {
        runtime.containers.put(
                "x",
                new Container(
                        "x",
                        "s",
                        "etcd",
                        0,
                        false,
                        clock.now(),
                        Map.of("io.kubernetes.pod.namespace", "default")));
        runtime.exits.put("x", new Exit(Optional.of(clock.now()), 1, "Error", "", ""));
        runtime.containers.put(
                "y",
                new Container(
                        "y",
                        "s",
                        "kube-apiserver",
                        0,
                        false,
                        clock.now(),
                        Map.of("io.kubernetes.pod.namespace", "kube-system")));
        assertTrue(after(121).isPresent());
    }
}
