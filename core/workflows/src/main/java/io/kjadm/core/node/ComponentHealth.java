package io.kjadm.core.node;

import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.machine.HealthProbe;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.core.staticpod.ComponentEndpoint;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.SchedulerPod;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Waits until the kubelet and the control-plane components of this node are healthy.
 */
public final class ComponentHealth {

    /** Asking this node costs nothing; every tenth of a second counts in a join. */
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final HostFiles files;
    private final HealthProbe probe;
    private final Waiter waiter;
    private final Reporter out;

    public ComponentHealth(HostFiles files, HealthProbe probe, Waiter waiter, Reporter out) {
        this.files = files;
        this.probe = probe;
        this.waiter = waiter;
        this.out = out;
    }

    /** Waits for the kubelet's health endpoint; a port of 0 means that it has none. */
    public void awaitKubelet(KubeletConfig kubelet, Duration limit) {
        if (kubelet.healthzPort() == 0) {
            return;
        }
        URI url = HealthProbe.url(
                "http", kubelet.healthzBindAddress(), kubelet.healthzPort(), "/healthz");
        out.step(
                "kubelet-check",
                "Waiting for a healthy kubelet at %s. This can take up to %s"
                        .formatted(url, text(limit)));
        waiter.until(
                new Await(
                        "kubelet-check",
                        "the kubelet to be healthy",
                        limit,
                        INTERVAL,
                        "see 'systemctl status kubelet' and 'journalctl -xeu kubelet', or the kubelet's log file"),
                () -> answered(url, probe.ask(url)));
        out.step("kubelet-check", "The kubelet is healthy");
    }

    private static Attempt<URI> answered(URI url, String fault) {
        return fault.isEmpty() ? Attempt.done(url) : Attempt.notYet(fault);
    }

    /**
     * Waits for API server, controller manager and scheduler together; all that are not healthy are
     * named when the limit passes.
     *
     * @param local a client of this node's own API server
     */
    public void awaitComponents(ControlPlaneNode node, KubeApi local) {
        Duration limit = node.timeouts().controlPlaneComponentHealthCheck();
        URI controllerManager = endpoint(node, ControllerManagerPod.NAME);
        URI scheduler = endpoint(node, SchedulerPod.NAME);
        List<Component> waiting = new ArrayList<>(List.of(
                new Component(
                        "kube-apiserver",
                        node.localEndpoint().resolve("/livez"),
                        () -> livez(local)),
                new Component(
                        ControllerManagerPod.NAME,
                        controllerManager,
                        () -> probe.ask(controllerManager)),
                new Component(SchedulerPod.NAME, scheduler, () -> probe.ask(scheduler))));
        out.step(
                "control-plane-check",
                "Waiting for healthy control plane components. This can take up to " + text(limit));
        waiting.forEach(component -> out.step(
                "control-plane-check",
                "Checking %s at %s".formatted(component.name(), component.url())));
        AtomicReference<String> seen = new AtomicReference<>("");
        waiter.until(
                new Await(
                        "control-plane-check",
                        "the control-plane components to be healthy",
                        limit,
                        INTERVAL,
                        "list the containers with 'crictl --runtime-endpoint %s ps -a' and read the log of the one that fails"
                                .formatted(node.registration().criSocket())),
                () -> {
                    seen.set(ask(waiting));
                    return waiting.isEmpty() ? Attempt.done(true) : Attempt.notYet(seen.get());
                });
    }

    private String ask(List<Component> waiting) {
        List<String> faults = new ArrayList<>();
        waiting.removeIf(component -> {
            String fault = component.problem().get();
            if (fault.isEmpty()) {
                out.step("control-plane-check", component.name() + " is healthy");
                return true;
            }
            faults.add("%s is not healthy (%s)".formatted(component.name(), fault));
            return false;
        });
        return String.join(", ", faults);
    }

    private static String livez(KubeApi local) {
        try {
            local.raw("/livez");
            return "";
        } catch (KubeApiException e) {
            return e.getMessage();
        }
    }

    private URI endpoint(ControlPlaneNode node, String component) {
        return ComponentEndpoint.health(
                component, StaticPodText.of(files, node.paths(), component));
    }

    private static String text(Duration limit) {
        return "%dm%ds".formatted(limit.toMinutes(), limit.toSecondsPart());
    }

    /** What is awaited, and what stands in its way now; empty text for nothing. */
    private record Component(String name, URI url, Supplier<String> problem) {}
}
