package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Pod;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The static pod of the controller manager. */
public final class ControllerManagerPod {

    /** Name of the component, its program, its pod and (with {@code .yaml}) its manifest. */
    public static final String NAME = "kube-controller-manager";

    /** Where it serves its health over HTTPS. */
    public static final int PORT = 10257;

    private ControllerManagerPod() {}

    /**
     * What the pod is made of.
     *
     * @param podSubnet the pod CIDR, or two with a comma; without one, nodes are given no pod
     *        addresses
     * @param clusterName an empty one is not passed on
     * @param externalCa whether the CA's key is kept elsewhere; nothing can be signed then
     */
    public record Input(
            PodHost host,
            PodOptions options,
            String serviceSubnet,
            Optional<String> podSubnet,
            String clusterName,
            boolean externalCa) {

        public Input {
            Objects.requireNonNull(host, "host");
            Objects.requireNonNull(options, "options");
            Objects.requireNonNull(serviceSubnet, "serviceSubnet");
            Objects.requireNonNull(podSubnet, "podSubnet");
            Objects.requireNonNull(clusterName, "clusterName");
        }

        Path kubeconfig() {
            return host.kubeconfigDir().resolve("controller-manager.conf");
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
                                arguments(input),
                                input.host().proxyVariables(),
                                Map.of("cpu", "200m"),
                                HostVolume.merge(volumes(input), options.extraVolumes())),
                        PORT,
                        probes(input),
                        StaticPod.withoutCapabilities())
                .toPod();
    }

    private static List<Argument> arguments(Input input) {
        PodHost host = input.host();
        String ca = host.certificate("ca.crt");
        var arguments = new ArrayList<>(StaticPod.leaderElecting(input.kubeconfig()));
        arguments.addAll(List.of(
                new Argument("client-ca-file", ca),
                new Argument("cluster-signing-cert-file", input.externalCa() ? "" : ca),
                new Argument(
                        "cluster-signing-key-file",
                        input.externalCa() ? "" : host.certificate("ca.key")),
                // the two named ones sign cluster-info and remove expired tokens; both are off by
                // default
                new Argument("controllers", "*,bootstrapsigner,tokencleaner"),
                new Argument(
                        "requestheader-client-ca-file", host.certificate("front-proxy-ca.crt")),
                new Argument("root-ca-file", ca),
                new Argument("service-account-private-key-file", host.certificate("sa.key")),
                new Argument("use-service-account-credentials", "true")));
        if (!input.clusterName().isEmpty()) {
            arguments.add(new Argument("cluster-name", input.clusterName()));
        }
        input.podSubnet()
                .ifPresent(podSubnet -> arguments.addAll(List.of(
                        new Argument("allocate-node-cidrs", "true"),
                        new Argument("cluster-cidr", podSubnet),
                        new Argument("service-cluster-ip-range", input.serviceSubnet()))));
        return arguments;
    }

    private static StaticPod.Probes probes(Input input) {
        ProbeEndpoint endpoint = ProbeEndpoint.ofBindAddress(input.options());
        return new StaticPod.Probes(
                endpoint.startup("/healthz", input.host().startupLimit()),
                endpoint.liveness("/healthz"),
                Optional.empty());
    }

    private static List<HostVolume> volumes(Input input) {
        var volumes = new ArrayList<>(HostCaDirectories.volumes(input.host().caDirectories()));
        volumes.add(HostVolume.directory("k8s-certs", input.host().certificatesDir()));
        volumes.add(HostVolume.file("kubeconfig", input.kubeconfig()));
        return volumes;
    }
}
