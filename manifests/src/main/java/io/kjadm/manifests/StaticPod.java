package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Capabilities;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The shape all static pods share. Labels, annotations and the port's name are read by other
 * commands and by kubeadm.
 *
 * @param name        of the pod, its container and its program
 * @param program     ours; the operator's arguments and variables are among the options
 * @param rootless    what the container may still do where the options say that it is not root
 */
record StaticPod(
        String name,
        Map<String, String> annotations,
        PodOptions options,
        Program program,
        int probePort,
        Probes probes,
        SecurityContext rootless) {

    /**
     * What the program is started with.
     *
     * @param requests of resources
     * @param volumes  ours and the operator's, in the order of their mounts; the pod's own list is
     *                 sorted
     */
    record Program(
            List<Argument> arguments,
            List<EnvVariable> environment,
            Map<String, String> requests,
            List<HostVolume> volumes) {}

    /** The three questions the kubelet asks; not every component tells whether it is ready. */
    record Probes(Probe startup, Probe liveness, Optional<Probe> readiness) {}

    /** For a container that does not run as root. */
    static SecurityContext withoutCapabilities() {
        return new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withCapabilities(new Capabilities(List.of(), List.of("ALL")))
                .build();
    }

    /** The same for one that may listen on a port below 1024. */
    static SecurityContext withLowPorts() {
        return new SecurityContextBuilder()
                .withCapabilities(new Capabilities(List.of("NET_BIND_SERVICE"), List.of("ALL")))
                .build();
    }

    /**
     * The arguments of a component that works while it holds a Lease, and serves nothing but its
     * health and metrics.
     */
    static List<Argument> leaderElecting(Path kubeconfig) {
        String file = kubeconfig.toString();
        return List.of(
                new Argument("authentication-kubeconfig", file),
                new Argument("authorization-kubeconfig", file),
                new Argument("bind-address", "127.0.0.1"),
                new Argument("kubeconfig", file),
                new Argument("leader-elect", "true"));
    }

    Pod toPod() {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(KubeSystem.NAMESPACE)
                .withLabels(Map.of("component", name, "tier", "control-plane"))
                .withAnnotations(annotations.isEmpty() ? null : annotations)
                .endMetadata()
                .withNewSpec()
                .withContainers(container())
                .withHostNetwork(true)
                .withPriority(2000001000)
                .withPriorityClassName("system-node-critical")
                .withSecurityContext(podSecurity())
                .withVolumes(program.volumes().stream()
                        .sorted(Comparator.comparing(HostVolume::name))
                        .map(HostVolume::volume)
                        .toList())
                .endSpec()
                .withNewStatus()
                .endStatus()
                .build();
    }

    private Container container() {
        return new ContainerBuilder()
                .withName(name)
                .withImage(options.image())
                .withImagePullPolicy("IfNotPresent")
                .withCommand(command())
                .withEnv(EnvVariable.merge(program.environment(), options.extraEnvs()))
                .addNewPort()
                .withName(ProbeEndpoint.PORT_NAME)
                .withContainerPort(probePort)
                .withProtocol("TCP")
                .endPort()
                .withStartupProbe(probes.startup())
                .withLivenessProbe(probes.liveness())
                .withReadinessProbe(probes.readiness().orElse(null))
                .withNewResources()
                .withRequests(quantities())
                .endResources()
                .withSecurityContext(options.runAs().isPresent() ? rootless : null)
                .withVolumeMounts(
                        program.volumes().stream().map(HostVolume::mount).toList())
                .build();
    }

    private List<String> command() {
        var command = new ArrayList<String>();
        command.add(name);
        command.addAll(Argument.merge(program.arguments(), options.extraArgs()));
        return command;
    }

    private Map<String, Quantity> quantities() {
        var quantities = new LinkedHashMap<String, Quantity>();
        program.requests()
                .forEach((resource, amount) -> quantities.put(resource, new Quantity(amount)));
        return quantities;
    }

    private PodSecurityContext podSecurity() {
        var context = new PodSecurityContextBuilder()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile();
        options.runAs().ifPresent(user -> user.applyTo(context));
        return context.build();
    }
}
