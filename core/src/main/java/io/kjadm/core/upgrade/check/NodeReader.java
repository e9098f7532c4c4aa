package io.kjadm.core.upgrade.check;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.KubeProxyConfig;
import io.kjadm.core.config.KubernetesVersion;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.upgrade.GeneratedManifests;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.core.upgrade.check.NodeState.Disk;
import io.kjadm.core.upgrade.check.NodeState.Manifest;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.KubeProxyAddon;
import io.kjadm.manifests.KubeletFiles;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.SchedulerPod;
import io.kjadm.manifests.StaticPodReferences;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads what an upgrade has to know of this node. Writes nothing. */
final class NodeReader {

    private static final String GATES = "feature-gates";
    private static final String KUBELET = "kubelet";

    private final RuntimeConnector runtimes;
    private final DiskProbe disks;

    NodeReader(RuntimeConnector runtimes, DiskProbe disks) {
        this.runtimes = runtimes;
        this.disks = disks;
    }

    /** How each manifest on the disk stands to those of then and of the version to come. */
    Map<PatchTarget, Manifest> manifests(GeneratedManifests generated, KubernetesVersion target) {
        Map<PatchTarget, Manifest> manifests = new EnumMap<>(PatchTarget.class);
        generated.targets().forEach(pod -> manifests.put(pod, manifest(generated, pod, target)));
        return manifests;
    }

    private static Manifest manifest(
            GeneratedManifests generated, PatchTarget pod, KubernetesVersion target) {
        try {
            return generated
                    .changedByHand(pod, target)
                    .<Manifest>map(changes ->
                            new Manifest.Compared(changes, references(generated, pod, target)))
                    .orElseGet(() -> new Manifest.Missing(generated.path(pod)));
        } catch (ManifestException e) {
            return new Manifest.Unreadable(generated.path(pod), e.getMessage());
        }
    }

    private static List<String> references(
            GeneratedManifests generated, PatchTarget pod, KubernetesVersion target) {
        return target.minor() < StaticPodReferences.REFUSED_SINCE_MINOR
                ? List.of()
                : StaticPodReferences.of(generated.of(pod, target));
    }

    /** Where etcd's data is, and where its snapshot and the files of an upgrade are kept. */
    List<Disk> disks(InstalledNode node) {
        Stream<Path> data =
                node.etcd().manifest() ? Stream.of(node.etcd().dataDir()) : Stream.empty();
        return Stream.concat(data, Stream.of(node.paths().tmpDir()))
                .map(directory -> new Disk(directory, free(directory)))
                .toList();
    }

    private OptionalLong free(Path directory) {
        try {
            return OptionalLong.of(disks.freeBytes(directory));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    NodeState.Images images(InstalledNode node, List<String> needed) {
        try {
            ContainerRuntime runtime = runtimes.connect(node.criSocket());
            return new NodeState.Images(
                    needed.stream().filter(image -> !runtime.hasImage(image)).toList(),
                    Optional.empty());
        } catch (HostException e) {
            return new NodeState.Images(List.of(), Optional.of(e.problem().facts()));
        }
    }

    /**
     * What the operator configured for each component.
     *
     * @param kubeletFlags the text of this node's {@code kubeadm-flags.env}, which upgrades keep;
     *     empty if there is none
     */
    static Map<String, List<Argument>> arguments(StoredConfiguration stored, String kubeletFlags) {
        ClusterConfiguration cluster = stored.cluster();
        Map<String, List<Argument>> arguments = new LinkedHashMap<>();
        arguments.put(ApiServerPod.NAME, cluster.apiServer().component().extraArgs());
        arguments.put(ControllerManagerPod.NAME, cluster.controllerManager().extraArgs());
        arguments.put(SchedulerPod.NAME, cluster.scheduler().extraArgs());
        Map<String, Object> kubelet = stored.kubelet().tree();
        List<Argument> settings = new ArrayList<>(KubeletFiles.parseFlags(kubeletFlags));
        settings.addAll(gates(kubelet));
        kubelet.forEach((field, value) -> {
            if (value instanceof Number number) {
                settings.add(new Argument(field, number.toString()));
            }
        });
        arguments.put(KUBELET, settings);
        arguments.put(
                KubeProxyAddon.NAME,
                stored.kubeProxy()
                        .map(KubeProxyConfig::tree)
                        .map(NodeReader::gates)
                        .orElse(List.of()));
        return arguments;
    }

    private static List<Argument> gates(Map<String, Object> document) {
        return document.get("featureGates") instanceof Map<?, ?> gates
                ? gates.entrySet().stream()
                        .map(gate -> new Argument(GATES, gate.getKey() + "=" + gate.getValue()))
                        .toList()
                : List.of();
    }
}
