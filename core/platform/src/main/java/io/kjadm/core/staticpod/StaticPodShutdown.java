package io.kjadm.core.staticpod;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.Services;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.manifests.EtcdPod;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Stops static pods by taking their manifests out, and sees in the container runtime that they have
 * stopped. A kubelet that still runs would start etcd again on an emptied directory, where it would
 * found a cluster of its own.
 */
public final class StaticPodShutdown {

    private static final String KUBELET = "kubelet";
    private static final Duration INTERVAL = Duration.ofMillis(250);
    /** An API server with open watches uses all of its 30 s to stop, for nobody's good. */
    private static final Duration KUBELET_PATIENCE = Duration.ofSeconds(5);
    /** The kubelet may look at its directory only every 20 s. */
    private static final Duration KUBELET_LIMIT = Duration.ofSeconds(60);

    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final String area;
    private final Services services;
    private final RuntimeConnector runtimes;
    private final Waiter waiter;
    private final Reporter out;

    /**
     * @param area of the messages
     */
    public StaticPodShutdown(String area, Machine machine, Reporter out) {
        this.area = area;
        this.services = machine.services();
        this.runtimes = machine.runtimes();
        this.waiter = machine.waiter();
        this.out = out;
    }

    /**
     * Waits until the kubelet has stopped what has no manifest any more, and hastens it; at worst
     * goes on.
     */
    public void awaitKubelet(String criSocket, List<String> components) {
        if (services.available() && !services.isActive(KUBELET)) {
            return;
        }
        try {
            StaticPods pods = new StaticPods(runtimes.connect(criSocket));
            try {
                waiter.until(stop(components, KUBELET_PATIENCE), () -> stopped(pods, components));
            } catch (ClusterException slow) {
                stopRunning(pods, components);
                waiter.until(stop(components, KUBELET_LIMIT), () -> stopped(pods, components));
            }
        } catch (ClusterException | HostException e) {
            out.warn("%s may still run: %s".formatted(String.join(", ", components), e.why()));
        }
    }

    private Await stop(List<String> components, Duration limit) {
        return new Await(area, String.join(", ", components) + " to stop", limit, INTERVAL, "");
    }

    private static void stopRunning(StaticPods pods, List<String> components) {
        pods.running(components)
                .forEach(container -> pods.runtime().stopContainer(container.id(), GRACE));
    }

    private static Attempt<Boolean> stopped(StaticPods pods, List<String> components) {
        List<String> left =
                pods.running(components).stream().map(Container::name).toList();
        return left.isEmpty()
                ? Attempt.done(true)
                : Attempt.notYet("still running: " + String.join(", ", left));
    }

    /**
     * Stops what has no manifest any more, and the kubelet meanwhile, so that it forgets the pods.
     * One that has not reached an API server yet does not end a pod whose manifest is gone: it
     * would start its containers again and again.
     */
    public void forget(String criSocket, List<String> components) {
        if (!services.available()) {
            awaitKubelet(criSocket, components);
            return;
        }
        boolean active = services.isActive(KUBELET);
        if (active) {
            out.step(
                    area,
                    "Restarting the kubelet, so that it forgets " + String.join(", ", components));
            services.stop(KUBELET).ifPresent(out::warn);
        }
        stopLeftOver(criSocket, components)
                .ifPresent(why -> out.warn(
                        "%s may still run: %s".formatted(String.join(", ", components), why)));
        if (active) {
            services.start(KUBELET).ifPresent(out::warn);
        }
    }

    /**
     * Stops the kubelet and then whatever is left of etcd.
     *
     * @return why etcd may still run; empty if it certainly does not
     */
    public Optional<String> stopForGood(String criSocket) {
        out.step(area, "Stopping the kubelet service, so that etcd stays stopped");
        services.stop(KUBELET).ifPresent(out::warn);
        return stopLeftOver(criSocket, List.of(EtcdPod.NAME));
    }

    private Optional<String> stopLeftOver(String criSocket, List<String> components) {
        try {
            StaticPods pods = new StaticPods(runtimes.connect(criSocket));
            stopRunning(pods, components);
            // a container that was made and not yet started cannot be started any more then
            pods.of(components).stream()
                    .map(Container::sandboxId)
                    .distinct()
                    .forEach(pods.runtime()::stopSandbox);
            waiter.until(stop(components, STOP_LIMIT), () -> stopped(pods, components));
            return Optional.empty();
        } catch (ClusterException | HostException e) {
            return Optional.of(e.getMessage());
        }
    }
}
