package io.kjadm.core.staticpod;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.manifests.KubeSystem;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The containers that the kubelet made of this node's static pods, as the container runtime lists
 * them. A pod is known by its UID, which the kubelet makes from the manifest's content: another
 * manifest is another pod.
 */
public record StaticPods(ContainerRuntime runtime) {

    /** Those of these components, running or not. */
    public List<Container> of(Collection<String> components) {
        return runtime.containers().stream()
                .filter(container -> components.contains(container.name())
                        && KubeSystem.NAMESPACE.equals(
                                container.labels().get("io.kubernetes.pod.namespace")))
                .toList();
    }

    /** Those of one component, running or not. */
    public List<Container> of(String component) {
        return of(List.of(component));
    }

    /** Those of these components that run. */
    public List<Container> running(Collection<String> components) {
        return of(components).stream().filter(Container::running).toList();
    }

    /** Those of one component that run. */
    public List<Container> running(String component) {
        return running(List.of(component));
    }

    /** The pod that a container belongs to; empty text if its labels do not tell. */
    public static String podUid(Container container) {
        return container.labels().getOrDefault("io.kubernetes.pod.uid", "");
    }

    /** The pods that containers belong to. */
    public static Set<String> podUids(Collection<Container> containers) {
        return containers.stream().map(StaticPods::podUid).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Stops the containers of a component that run; the kubelet starts them again.
     *
     * @return their IDs
     */
    public List<String> stop(String component, Duration grace) {
        List<String> running = running(component).stream().map(Container::id).toList();
        running.forEach(id -> runtime.stopContainer(id, grace));
        return running;
    }

    /**
     * Removes the pods of a component that do not run, so that the kubelet starts it at once. It makes
     * a pod wait that ended a few times: up to 5 min ("CrashLoopBackOff"), beginning with its last
     * end. A pod without an ended container does not wait, and a sandbox that goes has the kubelet
     * look.
     *
     * @param but pods that are let be
     */
    public void removeEnded(String component, Set<String> but) {
        List<Container> all = of(component);
        Set<String> alive = podUids(all.stream().filter(Container::running).toList());
        all.stream()
                .filter(container ->
                        !alive.contains(podUid(container)) && !but.contains(podUid(container)))
                .map(Container::sandboxId)
                .distinct()
                .forEach(sandbox -> {
                    runtime.stopSandbox(sandbox);
                    runtime.removeSandbox(sandbox);
                });
    }
}
