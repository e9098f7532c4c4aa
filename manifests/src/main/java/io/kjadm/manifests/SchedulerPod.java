package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Pod;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The static pod of the scheduler. */
public final class SchedulerPod {

    /** Name of the component, its program, its pod and (with {@code .yaml}) its manifest. */
    public static final String NAME = "kube-scheduler";

    /** Where it serves its health over HTTPS. */
    public static final int PORT = 10259;

    private SchedulerPod() {}

    /** What the pod is made of. */
    public record Input(PodHost host, PodOptions options) {

        public Input {
            Objects.requireNonNull(host, "host");
            Objects.requireNonNull(options, "options");
        }

        Path kubeconfig() {
            return host.kubeconfigDir().resolve("scheduler.conf");
        }
    }

    /** The pod, before patches. */
    public static Pod build(Input input) {
        PodOptions options = input.options();
        return new StaticPod(
                        NAME,
                        Map.of(),
                        options,
                        new StaticPod.Program(
                                StaticPod.leaderElecting(input.kubeconfig()),
                                input.host().proxyVariables(),
                                Map.of("cpu", "100m"),
                                HostVolume.merge(
                                        List.of(HostVolume.file("kubeconfig", input.kubeconfig())),
                                        options.extraVolumes())),
                        PORT,
                        probes(input),
                        StaticPod.withoutCapabilities())
                .toPod();
    }

    private static StaticPod.Probes probes(Input input) {
        ProbeEndpoint endpoint = ProbeEndpoint.ofBindAddress(input.options());
        return new StaticPod.Probes(
                endpoint.startup("/livez", input.host().startupLimit()),
                endpoint.liveness("/livez"),
                Optional.of(endpoint.readiness("/readyz")));
    }
}
