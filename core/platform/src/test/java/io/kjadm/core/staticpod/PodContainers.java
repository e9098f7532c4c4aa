package io.kjadm.core.staticpod;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.cri.MemoryRuntime;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The containers of static pods in a runtime in memory, as a kubelet starts and ends them. */
public final class PodContainers {

    private final MemoryRuntime runtime;
    private final InstantSource clock;
    private final Map<String, Integer> made = new TreeMap<>();

    /** None yet. */
    public PodContainers(MemoryRuntime runtime, InstantSource clock) {
        this.runtime = runtime;
        this.clock = clock;
    }

    /** Of the component's pod with that UID. */
    public Container start(String component, String uid) {
        String id = "%s-%d".formatted(component, made.merge(component, 1, Integer::sum));
        Container container = new Container(
                id,
                "sandbox-of-" + id,
                component,
                0,
                true,
                clock.instant(),
                Map.of("io.kubernetes.pod.namespace", "kube-system", "io.kubernetes.pod.uid", uid));
        runtime.containers.put(id, container);
        return container;
    }

    /** It ends with that status. */
    public void end(Container container, int status) {
        runtime.stopContainer(container.id(), Duration.ZERO);
        runtime.exits.put(
                container.id(),
                new Exit(Optional.of(clock.instant()), status, "Error", "it is broken", ""));
    }

    /** Whatever runs is killed. */
    public void kill() {
        List.copyOf(runtime.containers.values()).stream()
                .filter(Container::running)
                .forEach(container -> end(container, 137));
    }

    /** That of a component that runs. */
    public Optional<Container> running(String component) {
        return new StaticPods(runtime).running(component).stream().findFirst();
    }

    /** Whether the pod with that UID has or had a container. */
    public boolean hasRun(String uid) {
        return runtime.containers.values().stream()
                .anyMatch(container -> StaticPods.podUid(container).equals(uid));
    }
}
