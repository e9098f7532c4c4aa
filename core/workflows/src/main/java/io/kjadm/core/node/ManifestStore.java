package io.kjadm.core.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.manifests.RunAsIds;
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

    /** The components of a control plane other than etcd, in the order in which they start. */
    public static final List<PatchTarget> COMPONENTS = List.of(
            PatchTarget.KUBE_APISERVER,
            PatchTarget.KUBE_CONTROLLER_MANAGER,
            PatchTarget.KUBE_SCHEDULER);

    private final HostFiles files;
    private final ControlPlanePods pods;
    private final RootlessUsers rootless;
    private final PatchDirectory patches;
    private final Reporter out;
    private final boolean heldBack;
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    public ManifestStore(
            HostFiles files,
            ControlPlanePods pods,
            RootlessUsers rootless,
            PatchDirectory patches,
            Reporter out) {
        this(files, pods, rootless, patches, out, false);
    }

    private ManifestStore(
            HostFiles files,
            ControlPlanePods pods,
            RootlessUsers rootless,
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
        for (PatchTarget component : COMPONENTS) {
            Path manifest = node.paths().manifest(component.fileName());
            if (files.exists(heldBackName(manifest))) {
                files.delete(manifest);
                files.rename(heldBackName(manifest), manifest);
            }
        }
    }

    private static Path heldBackName(Path manifest) {
        return manifest.resolveSibling("." + manifest.getFileName() + ".held");
    }

    /**
     * Writes the manifest of a component other than etcd.
     *
     * @param externalCa whether the cluster's CA key is kept elsewhere
     */
    public void write(ControlPlaneNode node, PatchTarget component, boolean externalCa) {
        write(node, component, text(node, component, externalCa));
    }

    /** The manifest, as {@link #write} writes it. */
    public String text(ControlPlaneNode node, PatchTarget component, boolean externalCa) {
        return checked(
                node,
                component,
                pod(
                        node,
                        component,
                        rootless.prepare(node, component.fileName()),
                        externalCa,
                        Optional.empty()));
    }

    /**
     * Writes etcd's manifest and creates its data directory.
     *
     * @param existing all members, this one among them, if it joins a cluster
     */
    public void writeEtcd(
            ControlPlaneNode node, LocalEtcd etcd, Optional<List<NameAndUrl>> existing) {
        files.createDirectory(etcd.dataDir(), FileMode.PRIVATE_DIRECTORY);
        write(node, PatchTarget.ETCD, etcd(node, etcd, existing));
    }

    /** etcd's manifest, as {@link #writeEtcd} writes it. */
    public String etcd(ControlPlaneNode node, LocalEtcd etcd, Optional<List<NameAndUrl>> existing) {
        return checked(
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
    public String foreseen(
            ControlPlaneNode node, PatchTarget target, Optional<List<NameAndUrl>> existing) {
        return patched(
                node,
                target,
                pod(
                        node,
                        target,
                        rootless.foresee(node, target.fileName()),
                        !files.exists(node.pair(CertificateSet.named(CertificateSet.CA))
                                .key()),
                        existing));
    }

    private Pod pod(
            ControlPlaneNode node,
            PatchTarget target,
            Optional<RunAsIds> runAs,
            boolean externalCa,
            Optional<List<NameAndUrl>> existing) {
        return switch (target) {
            case ETCD -> pods.etcd(node, runAs, (LocalEtcd) node.cluster().etcd(), existing);
            case KUBE_APISERVER -> pods.apiServer(node, runAs);
            case KUBE_CONTROLLER_MANAGER -> pods.controllerManager(node, runAs, externalCa);
            case KUBE_SCHEDULER -> pods.scheduler(node, runAs);
            case KUBELET_CONFIGURATION, COREDNS_DEPLOYMENT, KUBE_PROXY_DAEMONSET ->
                throw new IllegalArgumentException(target + " is no static pod");
        };
    }

    private String checked(ControlPlaneNode node, PatchTarget target, Pod pod) {
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

    private void write(ControlPlaneNode node, PatchTarget component, String text) {
        Path manifest = node.paths().manifest(component.fileName());
        Path path = heldBack && !files.exists(manifest) ? heldBackName(manifest) : manifest;
        if (files.read(path).filter(text::equals).isPresent()) {
            out.detail("static pod manifest %s is up to date".formatted(path));
            return;
        }
        files.write(path, text, FileMode.OWNER_ONLY);
    }
}
