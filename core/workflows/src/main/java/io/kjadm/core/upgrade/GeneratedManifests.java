package io.kjadm.core.upgrade;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.PatchTarget;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The manifests of a control-plane node as they are generated for a version of Kubernetes, with
 * patches. Nothing is written.
 */
public final class GeneratedManifests {

    private final HostFiles files;
    private final ManifestStore manifests;
    private final Input input;

    /**
     * What they are made from.
     *
     * @param node     one of the control plane
     * @param patches  the operator's directory with patches, if any
     * @param members  all members of a stacked etcd, this node's among them by the node's name;
     *                 empty if etcd is left as it is
     * @param timeouts one of them is the limit of the startup probes
     */
    public record Input(
            StoredConfiguration stored,
            InstalledNode node,
            Optional<Path> patches,
            Optional<List<NameAndUrl>> members,
            Timeouts timeouts) {

        public Input {
            members = members.map(List::copyOf);
        }

        private ClusterConfiguration cluster() {
            return stored.cluster();
        }
    }

    public GeneratedManifests(HostFiles files, ManifestStore manifests, Input input) {
        this.files = files;
        this.manifests = manifests;
        this.input = input;
    }

    /** The static pods of the node that are upgraded, in that order. */
    public List<PatchTarget> targets() {
        List<PatchTarget> targets = new ArrayList<>();
        if (input.cluster().etcd() instanceof LocalEtcd && input.members().isPresent()) {
            targets.add(PatchTarget.ETCD);
        }
        targets.addAll(ManifestStore.COMPONENTS);
        return List.copyOf(targets);
    }

    /** Where the kubelet reads it. */
    public Path path(PatchTarget target) {
        return input.node().paths().manifest(target.fileName());
    }

    /** What the kubelet reads, if it is there. */
    public Optional<String> onDisk(PatchTarget target) {
        return files.read(path(target));
    }

    /** As it is generated for a version. */
    public String of(PatchTarget target, KubernetesVersion version) {
        return text(target, input.stored().at(version.text()), input.members());
    }

    /**
     * How what is on the disk differs from what is generated for a version, in the format of {@code
     * diff -u}; nothing of what does not differ.
     *
     * @param contextLines how many unchanged lines are shown before and after a change
     * @throws HostException if a manifest is missing
     */
    public List<String> diffs(KubernetesVersion version, int contextLines) {
        return targets().stream()
                .map(target -> UnifiedDiff.of(
                        path(target).toString(),
                        onDisk(target)
                                .orElseThrow(() -> new HostException(
                                        "there is no %s".formatted(path(target)),
                                        "this node has no static pod of that name",
                                        "run this on a control-plane node whose pods run")),
                        "new manifest",
                        of(target, version),
                        contextLines))
                .filter(diff -> !diff.isEmpty())
                .toList();
    }

    /**
     * As it may have been generated when what is on the disk was.
     *
     * @param plain without patches
     * @param patched with those that there are now
     */
    private record Former(String plain, String patched) {}

    /**
     * For the version that the image on the disk is of, as far as its tag tells one. There are
     * several ways for etcd, whose probes depend on whether it was made for a member that joins,
     * and by whom.
     */
    private List<Former> formerly(PatchTarget target, String onDisk) {
        ClusterConfiguration cluster = input.cluster();
        Optional<String> tag = StaticPodText.parse(onDisk)
                .flatMap(StaticPodText::image)
                .map(image -> image.substring(image.lastIndexOf(':') + 1));
        if (cluster.etcd() instanceof LocalEtcd etcd && target == PatchTarget.ETCD) {
            ClusterConfiguration then = cluster.withEtcd(etcd.withImageTag(tag.or(etcd::imageTag)));
            return List.of(
                    former(target, then, Optional.empty()), former(target, then, input.members()));
        }
        return List.of(former(
                target,
                tag.flatMap(text -> KubernetesVersion.parse(text.replace('_', '+')))
                        .map(version -> cluster.withKubernetesVersion(version.text(), false))
                        .orElse(cluster),
                input.members()));
    }

    private Former former(
            PatchTarget target, ClusterConfiguration cluster, Optional<List<NameAndUrl>> existing) {
        String patched = text(target, cluster, existing);
        return new Former(
                input.patches().isEmpty()
                        ? patched
                        : text(target, cluster, existing, Optional.empty()),
                patched);
    }

    /**
     * What was changed by hand in the manifest on the disk. Of the ways in which it may have been
     * generated the likeliest is the closest. A patch that it does not have yet is nobody's change
     * of it.
     *
     * @param next the version that it will be generated for
     * @return empty if there is no manifest
     * @throws io.kjadm.manifests.ManifestException if it is no YAML object
     */
    public Optional<ManifestChanges> changedByHand(PatchTarget target, KubernetesVersion next) {
        return onDisk(target).map(found -> {
            String to = of(target, next);
            return formerly(target, found).stream()
                    .map(then -> ManifestChanges.between(
                            target,
                            then.patched(),
                            ManifestChanges.withPatches(
                                    target, then.plain(), then.patched(), found),
                            to))
                    .min(Comparator.comparingInt(changes ->
                            changes.keepable().size() + changes.overridden().size()))
                    .orElseThrow();
        });
    }

    private String text(
            PatchTarget target, ClusterConfiguration cluster, Optional<List<NameAndUrl>> existing) {
        return text(target, cluster, existing, input.patches());
    }

    private String text(
            PatchTarget target,
            ClusterConfiguration cluster,
            Optional<List<NameAndUrl>> existing,
            Optional<Path> patches) {
        InstalledNode node = input.node();
        return manifests.foreseen(
                new ControlPlaneNode(
                        node.registration(),
                        node.endpoint().orElseThrow(),
                        cluster,
                        input.stored().kubelet(),
                        ControlPlaneNode.Places.of(node.paths(), patches),
                        input.timeouts(),
                        Instant.EPOCH), // no manifest has a date
                target,
                existing);
    }
}
