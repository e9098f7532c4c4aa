package io.kjadm.core.upgrade.check;

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.upgrade.GeneratedManifests;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.core.upgrade.check.NodeState.Disk;
import io.kjadm.core.upgrade.check.NodeState.Manifest;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.StaticPodReferences;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads what an upgrade has to know of this node. Writes nothing. */
record NodeReader(RuntimeConnector runtimes, DiskProbe disks) {

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
}
