package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Capabilities;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The shape all static pods share. Labels, annotations and the port's name are read by other
 * commands and by kubeadm. The volumes are in the order of their mounts; the pod's own list is
 * sorted.
 */
record StaticPod(
        String name,
        Map<String, String> annotations,
        String image,
        List<String> command,
        List<EnvVar> environment,
        Map<String, String> requests,
        int probePort,
        Probes probes,
        List<HostVolume> volumes,
        Optional<Rootless> rootless) {

    /** The three questions the kubelet asks; not every component tells whether it is ready. */
    record Probes(Probe startup, Probe liveness, Optional<Probe> readiness) {}

    /** Ids of the pod and what its container may still do. */
    record Rootless(RunAsIds ids, SecurityContext container) {

        static Rootless withoutCapabilities(RunAsIds ids) {
            return new Rootless(
                    ids,
                    new SecurityContextBuilder()
                            .withAllowPrivilegeEscalation(false)
                            .withCapabilities(new Capabilities(List.of(), List.of("ALL")))
                            .build());
        }

        /** For a port below 1024. */
        static Rootless withLowPorts(RunAsIds ids) {
            return new Rootless(
                    ids,
                    new SecurityContextBuilder()
                            .withCapabilities(
                                    new Capabilities(List.of("NET_BIND_SERVICE"), List.of("ALL")))
                            .build());
        }
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
                .withVolumes(volumes.stream()
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
                .withImage(image)
                .withImagePullPolicy("IfNotPresent")
                .withCommand(command)
                .withEnv(environment)
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
                .withSecurityContext(rootless.map(Rootless::container).orElse(null))
                .withVolumeMounts(volumes.stream().map(HostVolume::mount).toList())
                .build();
    }

    private Map<String, Quantity> quantities() {
        var quantities = new LinkedHashMap<String, Quantity>();
        requests.forEach((resource, amount) -> quantities.put(resource, new Quantity(amount)));
        return quantities;
    }

    private PodSecurityContext podSecurity() {
        var context = new PodSecurityContextBuilder()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile();
        rootless.ifPresent(user -> user.ids().applyTo(context));
        return context.build();
    }
}
