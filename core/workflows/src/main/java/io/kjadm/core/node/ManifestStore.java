package io.kjadm.core.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.SchedulerPod;
import io.kjadm.manifests.StaticPodReferences;
import io.kjadm.pki.CertificateSet;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes the static pods of a node, patched; an equal manifest is left alone, so that its pod goes
 * on running.
 */
public final class ManifestStore {

    private final HostFiles files;
    private final ControlPlanePods pods;
    private final Rootless rootless;
    private final PatchDirectory patches;
    private final Reporter out;
    private final boolean heldBack;
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    public ManifestStore(
            HostFiles files,
            ControlPlanePods pods,
            Rootless rootless,
            PatchDirectory patches,
            Reporter out) {
        this(files, pods, rootless, patches, out, false);
    }

    private ManifestStore(
            HostFiles files,
            ControlPlanePods pods,
            Rootless rootless,
            PatchDirectory patches,
            Reporter out,
            boolean heldBack) {
        this.files = files;
        this.pods = pods;
        this.rootless = rootless;
        this.patches = patches;
        this.out = out;
        this.heldBack = heldBack;
    }

    /**
     * The same, writing manifests under names that the kubelet passes over until {@link #release}.
     */
    public ManifestStore holdingBack() {
        return new ManifestStore(files, pods, rootless, patches, out, true);
    }

    /** Lets the kubelet see the manifests that were held back. */
    public void release(ControlPlaneNode node) {
        for (String component :
                List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME)) {
            Path waiting = heldBackName(node.paths().manifest(component));
            if (files.exists(waiting)) {
                files.delete(node.paths().manifest(component));
                files.rename(waiting, node.paths().manifest(component));
            }
        }
    }

    private static Path heldBackName(Path manifest) {
        return manifest.resolveSibling("." + manifest.getFileName() + ".held");
    }

    /** Writes the API server's manifest. */
    public void writeApiServer(ControlPlaneNode node) {
        write(node, ApiServerPod.NAME, apiServer(node));
    }

    /** The API server's manifest. */
    public String apiServer(ControlPlaneNode node) {
        return text(
                node,
                PatchTarget.KUBE_APISERVER,
                pods.apiServer(node, rootless.prepare(node, ApiServerPod.NAME)));
    }

    /** Writes the controller manager's manifest. */
    public void writeControllerManager(ControlPlaneNode node, boolean externalCa) {
        write(node, ControllerManagerPod.NAME, controllerManager(node, externalCa));
    }

    /** The controller manager's manifest. */
    public String controllerManager(ControlPlaneNode node, boolean externalCa) {
        return text(
                node,
                PatchTarget.KUBE_CONTROLLER_MANAGER,
                pods.controllerManager(
                        node, rootless.prepare(node, ControllerManagerPod.NAME), externalCa));
    }

    /** Writes the scheduler's manifest. */
    public void writeScheduler(ControlPlaneNode node) {
        write(node, SchedulerPod.NAME, scheduler(node));
    }

    /** The scheduler's manifest. */
    public String scheduler(ControlPlaneNode node) {
        return text(
                node,
                PatchTarget.KUBE_SCHEDULER,
                pods.scheduler(node, rootless.prepare(node, SchedulerPod.NAME)));
    }

    /**
     * Writes etcd's manifest and creates its data directory.
     *
     * @param existing all members, this one among them, if it joins a cluster
     */
    public void writeEtcd(
            ControlPlaneNode node, LocalEtcd etcd, Optional<List<NameAndUrl>> existing) {
        files.createDirectory(etcd.dataDir(), FileMode.PRIVATE_DIRECTORY);
        write(node, EtcdPod.NAME, etcd(node, etcd, existing));
    }

    /** etcd's manifest, as {@link #writeEtcd} writes it. */
    public String etcd(ControlPlaneNode node, LocalEtcd etcd, Optional<List<NameAndUrl>> existing) {
        return text(
                node,
                PatchTarget.ETCD,
                pods.etcd(node, rootless.prepare(node, EtcdPod.NAME), etcd, existing));
    }

    /**
     * A manifest as it would be written; nothing is changed, and nothing in it refused.
     *
     * @param target   a static pod
     * @param existing as for {@link #writeEtcd}
     */
    public String text(
            ControlPlaneNode node, PatchTarget target, Optional<List<NameAndUrl>> existing) {
        return patched(
                node,
                target,
                switch (target) {
                    case ETCD ->
                        pods.etcd(
                                node,
                                rootless.foresee(node, EtcdPod.NAME),
                                (LocalEtcd) node.cluster().etcd(),
                                existing);
                    case KUBE_APISERVER ->
                        pods.apiServer(node, rootless.foresee(node, ApiServerPod.NAME));
                    case KUBE_CONTROLLER_MANAGER ->
                        pods.controllerManager(
                                node,
                                rootless.foresee(node, ControllerManagerPod.NAME),
                                !files.exists(caKey(node)));
                    case KUBE_SCHEDULER ->
                        pods.scheduler(node, rootless.foresee(node, SchedulerPod.NAME));
                    case KUBELET_CONFIGURATION, COREDNS_DEPLOYMENT, KUBE_PROXY_DAEMONSET ->
                        throw new IllegalArgumentException(target + " is no static pod");
                });
    }

    private static Path caKey(ControlPlaneNode node) {
        return node.paths().certificate(CertificateSet.named(CertificateSet.CA).keyFile());
    }

    private String text(ControlPlaneNode node, PatchTarget target, Pod pod) {
        String text = patched(node, target, pod);
        List<String> references = StaticPodReferences.of(text);
        if (!references.isEmpty()) {
            refuseReferences(node, target, references);
        }
        return text;
    }

    private String patched(ControlPlaneNode node, PatchTarget target, Pod pod) {
        return ManifestYaml.write(patches.patched(node.patches(), target, pod, Pod.class));
    }

    /** Only patches bring them: the kubelet would leave the pod out, and the node without it. */
    private void refuseReferences(
            ControlPlaneNode node, PatchTarget target, List<String> references) {
        String what = "the patches make the static pod of %s refer to API objects: %s"
                .formatted(target.fileName(), String.join(", ", references));
        if (node.cluster().version().minor() >= StaticPodReferences.REFUSED_SINCE_MINOR) {
            throw new HostException(
                    what,
                    "the kubelet does not run a static pod that does, since v1.%d in any case"
                            .formatted(StaticPodReferences.REFUSED_SINCE_MINOR),
                    "use files of this node (hostPath) and plain values in the patches instead");
        }
        if (told.add(what)) {
            out.warn(
                    "%s; kubelets run it only with their feature gate PreventStaticPodAPIReferences off, and from v1.%d on not at all"
                            .formatted(what, StaticPodReferences.REFUSED_SINCE_MINOR));
        }
    }

    private void write(ControlPlaneNode node, String component, String text) {
        Path manifest = node.paths().manifest(component);
        Path path = heldBack && !files.exists(manifest) ? heldBackName(manifest) : manifest;
        if (files.read(path).filter(text::equals).isPresent()) {
            out.detail("static pod manifest %s is up to date".formatted(path));
            return;
        }
        files.write(path, text, FileMode.OWNER_ONLY);
    }
}
