package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;

import io.kjadm.e2e.sandbox.cri.v1.Container;
import io.kjadm.e2e.sandbox.cri.v1.ContainerState;
import io.kjadm.e2e.sandbox.cri.v1.PodSandbox;
import io.kjadm.e2e.sandbox.cri.v1.PodSandboxConfig;
import io.kjadm.e2e.sandbox.cri.v1.PodSandboxState;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Brings one static pod to what its manifest says, as a kubelet does. All it knows of the pod is
 * what the container runtime tells, so that another kubelet goes on where this one ended.
 */
final class PodWorker {
    private static final Duration GRACE = Duration.ofSeconds(30);
    /** After the second end; it doubles with each, and the first start anew is at once. */
    private static final Duration BACK_OFF = Duration.ofSeconds(10);

    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);

    private final String podName;
    private final ContainerRuntime runtime;
    private final AtomicBoolean busy = new AtomicBoolean();
    private Optional<StaticPod> seen = Optional.empty();
    private String said = "";
    private volatile Optional<StaticPod> running = Optional.empty();
    private volatile boolean gone;

    PodWorker(String podName, ContainerRuntime runtime) {
        this.podName = podName;
        this.runtime = runtime;
    }

    /** The pod whose containers all run, if they do. */
    Optional<StaticPod> running() {
        return running;
    }

    /** Whether there is no manifest and nothing is left in the runtime. */
    boolean gone() {
        return gone;
    }

    /**
     * Begins to work on the pod, and does not wait for it, if its manifest is another one or the
     * runtime, of which there may be news, has something else.
     */
    void look(Optional<StaticPod> wanted, Optional<RuntimeState> news) {
        if (busy.get() || wanted.equals(seen) && news.map(this::isSettled).orElse(true)) {
            return;
        }
        busy.set(true);
        seen = wanted;
        Thread.startVirtualThread(() -> {
            try {
                work(wanted);
                said = "";
            } catch (RuntimeException e) {
                say(e.getMessage());
            } finally {
                busy.set(false);
            }
        });
    }

    private boolean isSettled(RuntimeState state) {
        return running.equals(seen) && running.filter(state::shows).isPresent();
    }

    /** Tells the same thing once. */
    private void say(String why) {
        if (!said.equals(why)) {
            said = why;
            System.out.printf("%s %s: %s%n", Instant.now(), podName, why);
        }
    }

    private void work(Optional<StaticPod> wanted) {
        var uid = wanted.map(StaticPod::uid).orElse("");
        var sandboxes = runtime.sandboxes(Map.of(StaticPod.POD_NAME, podName));
        if (running.filter(pod -> !pod.uid().equals(uid)).isPresent()) {
            running = Optional.empty();
        }
        sandboxes.stream()
                .filter(sandbox -> !sandbox.getMetadata().getUid().equals(uid))
                .forEach(this::remove);
        wanted.ifPresent(pod -> run(
                pod,
                sandboxes.stream()
                        .filter(sandbox -> sandbox.getMetadata().getUid().equals(uid))
                        .toList()));
        gone = wanted.isEmpty() && sandboxes.isEmpty();
    }

    private void remove(PodSandbox sandbox) {
        System.out.printf("%s %s: pod %s goes%n", Instant.now(), podName, sandbox.getId());
        containers(sandbox.getMetadata().getUid()).stream()
                .filter(PodWorker::runs)
                .forEach(container -> runtime.stopContainer(container.getId(), GRACE));
        runtime.removeSandbox(sandbox.getId());
    }

    private void run(StaticPod pod, List<PodSandbox> sandboxes) {
        var sandbox = readySandbox(pod, sandboxes);
        var present = containers(pod.uid());
        var missing = pod.containers().stream()
                .filter(container -> named(present, container).noneMatch(PodWorker::runs))
                .toList();
        running = missing.isEmpty() ? Optional.of(pod) : Optional.empty();
        for (var container : missing) {
            var ended = named(present, container)
                    .sorted(Comparator.comparing(one -> one.getMetadata().getAttempt()))
                    .toList();
            if (mayStart(pod, ended)) {
                start(pod, sandbox, container, ended);
            }
        }
    }

    private record Sandbox(String id, PodSandboxConfig config) {}

    private Sandbox readySandbox(StaticPod pod, List<PodSandbox> sandboxes) {
        var ready = sandboxes.stream()
                .filter(sandbox -> sandbox.getState() == PodSandboxState.SANDBOX_READY)
                .findFirst();
        if (ready.isPresent()) {
            var attempt = ready.get().getMetadata().getAttempt();
            return new Sandbox(ready.get().getId(), pod.sandbox(attempt));
        }
        var attempt = sandboxes.stream()
                .mapToInt(sandbox -> sandbox.getMetadata().getAttempt() + 1)
                .max()
                .orElse(0);
        return new Sandbox(runtime.runSandbox(pod.sandbox(attempt)), pod.sandbox(attempt));
    }

    private void start(StaticPod pod, Sandbox sandbox, JsonNode container, List<Container> ended) {
        var attempt = ended.isEmpty() ? 0 : ended.getLast().getMetadata().getAttempt() + 1;
        System.out.printf("%s %s: starts, attempt %d%n", Instant.now(), podName, attempt);
        runtime.startContainer(sandbox.id(), sandbox.config(), pod.container(container, attempt));
        // a kubelet keeps one that has ended
        ended.stream()
                .limit(Math.max(0, ended.size() - 1))
                .forEach(one -> runtime.removeContainer(one.getId()));
    }

    private boolean mayStart(StaticPod pod, List<Container> ended) {
        if (ended.isEmpty()) {
            return true;
        }
        if (pod.runsOnce()) {
            return false;
        }
        var last = ended.getLast();
        return Instant.now()
                .isAfter(runtime.finishedAt(last.getId())
                        .plus(backOff(last.getMetadata().getAttempt())));
    }

    /** After the end of the {@code attempt}th start, counted from 0. */
    private static Duration backOff(int attempt) {
        if (attempt == 0) {
            return Duration.ZERO;
        }
        var doubled = BACK_OFF.multipliedBy(1L << Math.min(attempt - 1, 10));
        return doubled.compareTo(LONGEST_BACK_OFF) < 0 ? doubled : LONGEST_BACK_OFF;
    }

    private List<Container> containers(String uid) {
        return runtime.containers(Map.of(StaticPod.POD_NAME, podName, StaticPod.POD_UID, uid));
    }

    /** Those made from this part of the manifest. */
    private static Stream<Container> named(List<Container> all, JsonNode container) {
        return all.stream()
                .filter(one -> one.getMetadata()
                        .getName()
                        .equals(container.path("name").asText()));
    }

    private static boolean runs(Container container) {
        return container.getState() == ContainerState.CONTAINER_RUNNING;
    }
}
