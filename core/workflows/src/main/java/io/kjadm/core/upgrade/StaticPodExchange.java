package io.kjadm.core.upgrade;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.StaticPodWatch;
import io.kjadm.core.etcd.version.ComponentJudge;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.etcd.version.StartDeadline;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.staticpod.StaticPods;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Exchanges a static pod of this node for another, and sees on this machine alone that the other
 * one works: in the container runtime, and by asking the component. The API server may be what is
 * exchanged, or one that cannot write while this node's etcd is.
 *
 * @param limit until it works, once its container has come up
 */
record StaticPodExchange(Machine machine, InstalledNode node, Duration limit, Reporter out) {

    private static final String AREA = "upgrade";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** Until a balancer has noticed that an API server is going. */
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(8);

    private static final Duration GRACE = Duration.ofSeconds(2);
    /** Until an API server has answered what it was asked before. */
    private static final Duration DRAINING = Duration.ofSeconds(5);
    /** A younger API server does not serve yet: it is still looking for its etcd. */
    private static final Duration START_UP = Duration.ofSeconds(5);

    /** Whether a manifest says another thing than the one on this node. */
    boolean changes(String component, String text) {
        return machine.files()
                .read(manifest(component))
                .filter(found -> sameObject(found, text))
                .isEmpty();
    }

    private static boolean sameObject(String one, String other) {
        try {
            return one.equals(other)
                    || ManifestYaml.readObject(one).equals(ManifestYaml.readObject(other));
        } catch (ManifestException e) {
            return false;
        }
    }

    private Path manifest(String component) {
        return node.paths().manifest(component);
    }

    /**
     * Writes the manifest unless it is there, and waits until the pod made from it works.
     *
     * @throws ClusterException if it does not; the manifest stays
     */
    void exchange(NodeChanges changes, String component, String text, ComponentJudge judge) {
        StaticPodWatch watch = watch(component);
        Set<String> gone = new HashSet<>(changes.replaced(component));
        if (changes(component, text)) {
            Set<String> present = present(component);
            changes.replacing(component, present);
            // an earlier run may have made one that is neither the first nor the one to come
            gone.addAll(present);
            if (component.equals(EtcdPod.NAME)) {
                out.detail("upgrade: stopping this node's API server, which is about to lose etcd");
                end(pods().running(ApiServerPod.NAME), DRAINING);
            }
            watch.starts();
            changes.write(component, manifest(component), text, FileMode.OWNER_ONLY);
            out.step(AREA, "Replaced the manifest of %s".formatted(component));
        } else {
            watch.resumes();
        }
        await(component, watch, gone, judge);
        if (component.equals(EtcdPod.NAME)) {
            startAtOnce(ApiServerPod.NAME);
        }
        out.step(AREA, "%s works".formatted(component));
    }

    /**
     * Puts back what was there before and waits until that works.
     *
     * @throws ClusterException if it does not
     */
    void restore(NodeChanges changes, String component, ComponentJudge judge) {
        StaticPodWatch watch = watch(component);
        Set<String> former = changes.replaced(component);
        Set<String> failed = StaticPods.podUids(pods().of(component).stream()
                .filter(container -> !former.contains(StaticPods.podUid(container)))
                .toList());
        removeEnded(component, failed);
        watch.starts();
        changes.restore(component);
        out.step(AREA, "Restored the manifest of %s".formatted(component));
        await(component, watch, failed, judge);
        if (component.equals(EtcdPod.NAME)) {
            startAtOnce(ApiServerPod.NAME);
        }
    }

    /** The pod that runs, or ran last: one that crashes is known as well. */
    private Set<String> present(String component) {
        List<Container> running = pods().running(component);
        return StaticPods.podUids(
                running.isEmpty()
                        ? pods().of(component).stream()
                                .max(Comparator.comparing(Container::createdAt))
                                .stream()
                                .toList()
                        : running);
    }

    /** Has the kubelet start a component at once that does not run, however often it has ended. */
    void startAtOnce(String component) {
        removeEnded(component, Set.of());
    }

    /** @param but pods that are let be */
    private void removeEnded(String component, Set<String> but) {
        try {
            pods().removeEnded(component, but);
        } catch (HostException e) {
            out.detail("upgrade: " + e.getMessage());
        }
    }

    private StaticPodWatch watch(String component) {
        return new StaticPodWatch(component, machine, node.criSocket(), manifest(component));
    }

    /** What does not end by itself yet ends later, or not: nobody relies on it. */
    private void end(List<Container> containers, Duration grace) {
        try {
            containers.forEach(container -> pods().runtime().stopContainer(container.id(), grace));
        } catch (HostException e) {
            out.detail("upgrade: " + e.getMessage());
        }
    }

    private StaticPods pods() {
        return new StaticPods(machine.runtimes().connect(node.criSocket()));
    }

    /** @param gone pods that must have gone */
    private void await(
            String component, StaticPodWatch watch, Set<String> gone, ComponentJudge judge) {
        StartDeadline deadline = new StartDeadline(
                judge,
                machine.waiter(),
                limit,
                "read the log of its container (crictl --runtime-endpoint %s ps -a)"
                        .formatted(node.criSocket()));
        Haste haste = new Haste(component, gone);
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                component + " to work",
                                StartDeadline.LONGEST,
                                limit,
                                INTERVAL,
                                "read the log of its container (crictl --runtime-endpoint %s ps -a)"
                                        .formatted(node.criSocket())),
                        () -> look(component, watch, judge, deadline, haste));
    }

    private Attempt<Boolean> look(
            String component,
            StaticPodWatch watch,
            ComponentJudge judge,
            StartDeadline deadline,
            Haste haste) {
        Optional<StartProblem> cause = watch.cause();
        if (cause.isPresent()) {
            throw new ClusterException(cause.get().problem());
        }
        String problem = haste.missing().orElseGet(judge::problem);
        if (problem.isEmpty()) {
            return Attempt.done(true);
        }
        deadline.requireTime(component, problem);
        return Attempt.notYet(problem);
    }

    /**
     * Sees to it that the kubelet does not take longer than it must. An API server with open watches
     * uses all of its 30 s to stop. And before a kubelet starts another etcd it deletes the mirror of
     * the former one, at this node's own API server, which cannot answer without that etcd: the
     * request takes its whole limit, 34 s, and so does every client's that a balancer sends there.
     * An API server that is stopped refuses both at once; the kubelet starts it again. That is why
     * it is stopped before, while it can still answer what it was asked, and here once more if it
     * serves again. To restart the kubelet instead is worse: a new one starts no pod as long as that
     * API server is silent.
     */
    private final class Haste {

        private final String component;
        private final Set<String> gone;
        private final Instant begun = machine.waiter().now();
        private boolean stopped;
        private boolean silenced;

        /** @param gone pods that must have gone */
        Haste(String component, Set<String> gone) {
            this.component = component;
            this.gone = gone;
        }

        /** What keeps the new container from being there, if it is not. */
        Optional<String> missing() {
            List<Container> running;
            try {
                running = pods().running(component);
            } catch (HostException e) {
                return Optional.of(e.getMessage());
            }
            List<Container> former = running.stream()
                    .filter(container -> gone.contains(StaticPods.podUid(container)))
                    .toList();
            if (!former.isEmpty()) {
                stop(former);
                return Optional.of("the kubelet has not stopped the previous container yet");
            }
            if (running.isEmpty()) {
                if (component.equals(EtcdPod.NAME)) {
                    silenceApiServer();
                }
                return Optional.of("the kubelet has not started its container yet");
            }
            return Optional.empty();
        }

        private void stop(List<Container> former) {
            if (!stopped && !isYounger(begun, STOP_PATIENCE)) {
                stopped = true;
                end(former, GRACE);
            }
        }

        private void silenceApiServer() {
            if (!silenced) {
                silenced = true;
                end(
                        pods().running(ApiServerPod.NAME).stream()
                                .filter(container -> !isYounger(container.createdAt(), START_UP))
                                .toList(),
                        GRACE);
            }
        }

        private boolean isYounger(Instant since, Duration age) {
            return Duration.between(since, machine.waiter().now()).compareTo(age) < 0;
        }
    }
}
