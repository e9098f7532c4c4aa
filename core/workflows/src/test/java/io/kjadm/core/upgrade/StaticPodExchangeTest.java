package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.version.ComponentJudge;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.staticpod.StaticPods;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A kubelet in memory that makes another pod of another manifest, and what it may do wrong. */
class StaticPodExchangeTest {

    private static final KubernetesPaths PATHS = KubernetesPaths.standard();
    private static final Path ETCD = PATHS.manifest("etcd");
    private static final String OLD = manifest("registry.k8s.io/etcd:3.6.8-0");
    private static final String NEW = manifest("registry.k8s.io/etcd:3.6.14-0");
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final MemoryFiles files = new MemoryFiles().with(ETCD.toString(), OLD);
    private final MemoryRuntime runtime = new MemoryRuntime();
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final Set<String> stopped = new TreeSet<>();
    private final NodeChanges changes =
            NodeChanges.begin(files, PATHS, "v1.36.2", "v1.37.0", waiter.now());
    private final StaticPodExchange exchange = new StaticPodExchange(
            new Machine(files, new ScriptedRunner(), runtime, url -> "", waiter, waiter),
            new InstalledNode(
                    "cp-1",
                    "unix:///run/c.sock",
                    Optional.empty(),
                    LocalEtcdState.look(files, PATHS),
                    false,
                    PATHS),
            LIMIT,
            out);

    private boolean newOneDies;
    private boolean kubeletStops = true;
    private boolean kubeletBacksOff;
    private int made;

    @BeforeEach
    void world() {
        start("etcd", OLD);
        start("kube-apiserver", "api");
        waiter.eachTime(this::kubelet);
    }

    private static String manifest(String image) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd, namespace: kube-system}
                spec:
                  containers:
                  - {name: etcd, image: "%s", command: [etcd]}
                """.formatted(image);
    }

    private static String uid(String manifest) {
        return Integer.toHexString(manifest.hashCode());
    }

    private void start(String name, String manifest) {
        String id = name + "-" + ++made;
        runtime.containers.put(
                id,
                new Container(
                        id,
                        "s" + made,
                        name,
                        0,
                        true,
                        waiter.now(),
                        Map.of(
                                "io.kubernetes.pod.namespace",
                                "kube-system",
                                "io.kubernetes.pod.uid",
                                uid(manifest))));
    }

    private boolean runs(String name) {
        return runtime.containers.values().stream()
                .anyMatch(container -> container.running() && container.name().equals(name));
    }

    private boolean hasEnded(String uid) {
        return runtime.containers.values().stream()
                .anyMatch(container -> uid.equals(StaticPods.podUid(container)));
    }

    private void kubelet() {
        String wanted = files.text(ETCD.toString());
        for (Container container : List.copyOf(runtime.containers.values())) {
            if (!container.running()) {
                stopped.add(container.name());
            } else if (container.name().equals("etcd")
                    && !uid(wanted).equals(container.labels().get("io.kubernetes.pod.uid"))
                    && kubeletStops) {
                end(container, 0);
                return;
            }
        }
        if (!runs("etcd") && !(kubeletBacksOff && hasEnded(uid(wanted)))) {
            start("etcd", wanted);
            if (newOneDies && wanted.equals(NEW)) {
                runtime.containers.values().stream()
                        .filter(Container::running)
                        .filter(container -> container.name().equals("etcd"))
                        .toList()
                        .forEach(container -> end(container, 1));
            }
        }
        if (!runs("kube-apiserver")) {
            start("kube-apiserver", "api");
        }
    }

    private void end(Container container, int status) {
        runtime.stopContainer(container.id(), Duration.ZERO);
        runtime.exits.put(
                container.id(),
                new Exit(Optional.of(waiter.now()), status, "Error", "no such flag", ""));
    }

    private String running() {
        return runtime.containers.values().stream()
                .filter(container -> container.running() && container.name().equals("etcd"))
                .map(container -> container.labels().get("io.kubernetes.pod.uid"))
                .findFirst()
                .orElse("none");
    }

    @Test
    void theFormerPodHasGoneAndTheNewOneWorks() {
        exchange.exchange(changes, "etcd", NEW, () -> running().equals(uid(NEW)) ? "" : "not yet");

        assertEquals(uid(NEW), running());
        assertEquals(NEW, files.text(ETCD.toString()));
        assertEquals(Optional.of(OLD), changes.former(ETCD));
        assertEquals(Set.of(uid(OLD)), changes.replaced("etcd"));
    }

    @Test
    void aHealthyAnswerOfTheFormerPodDoesNotCountAndItIsStoppedIfTheKubeletIsSlow() {
        kubeletStops = false;

        exchange.exchange(changes, "etcd", NEW, () -> "");

        assertEquals(uid(NEW), running());
        assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(8)) >= 0, "too hasty");
    }

    @Test
    void thisNodesApiServerIsSilencedWhileItHasNoEtcd() {
        exchange.exchange(changes, "etcd", NEW, () -> "");

        assertEquals(List.of("etcd", "kube-apiserver"), List.copyOf(stopped));
        assertTrue(runs("kube-apiserver"));
    }

    @Test
    void anEqualManifestIsNoChange() {
        assertFalse(exchange.changes("etcd", "# said otherwise\n" + OLD));
        assertTrue(exchange.changes("etcd", NEW));
    }

    @Test
    void oneThatEndsAgainAndAgainIsToldLongBeforeTheLimitAndPutBack() {
        newOneDies = true;

        ClusterException failure = assertThrows(
                ClusterException.class,
                () -> exchange.exchange(changes, "etcd", NEW, () -> "it does not answer"));

        assertEquals(
                "this node's etcd exited 2 times, most recently with status 1", failure.what());
        assertTrue(waiter.elapsed().compareTo(Duration.ofMinutes(1)) < 0, "it took too long");

        changes.giveUp();
        exchange.restore(changes, "etcd", () -> running().equals(uid(OLD)) ? "" : "not yet");

        assertEquals(uid(OLD), running());
        assertEquals(OLD, files.text(ETCD.toString()));
    }

    @Test
    void oneThatTheKubeletMakesWaitIsKnownAsTheFormerAndStartsAtOnceWhenPutBack() {
        end(runtime.containers.get("etcd-1"), 1);
        kubeletBacksOff = true;
        exchange.exchange(changes, "etcd", NEW, () -> running().equals(uid(NEW)) ? "" : "not yet");
        assertEquals(Set.of(uid(OLD)), changes.replaced("etcd"));

        exchange.restore(changes, "etcd", () -> running().equals(uid(OLD)) ? "" : "not yet");

        assertEquals(uid(OLD), running());
        assertTrue(waiter.elapsed().compareTo(Duration.ofMinutes(1)) < 0, "it took too long");
    }

    @Test
    void onePatientlySeenToGetOnIsGivenMoreTimeThanTheLimit() {
        Duration loading = LIMIT.multipliedBy(2);
        exchange.exchange(changes, "etcd", NEW, new ComponentJudge() {
            @Override
            public String problem() {
                return waiter.elapsed().compareTo(loading) < 0 ? "it loads its database" : "";
            }

            @Override
            public boolean starting() {
                return true;
            }
        });

        assertTrue(waiter.elapsed().compareTo(loading) >= 0);
    }

    @Test
    void oneThatHangsIsGivenUpAtTheLimit() {
        ClusterException failure = assertThrows(
                ClusterException.class,
                () -> exchange.exchange(changes, "etcd", NEW, () -> "it knows no leader"));

        assertEquals("it knows no leader", failure.why());
        assertTrue(waiter.elapsed().compareTo(LIMIT.plusMinutes(1)) < 0, "it took too long");
    }
}
