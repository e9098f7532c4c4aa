package io.kjadm.core.upgrade;

import io.fabric8.kubernetes.api.model.Node;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.KubeletFiles;
import io.kjadm.manifests.ManifestYaml;

/**
 * {@code kubelet-config}: gives this node's kubelet the cluster's configuration as it is now. The
 * program itself comes with the distribution's packages, so the kubelet is restarted only if that
 * is asked for.
 */
record KubeletConfigPhase(
        Machine machine, KubeletFileStore store, KubeClients clients, KubeletRestart restart)
        implements Phase<UpgradeRun> {

    private static final String AREA = "kubelet-config";
    private static final String SOCKET_ANNOTATION = "kubeadm.alpha.kubernetes.io/cri-socket";
    private static final String SOCKET_FLAG = " ?--container-runtime-endpoint=[^\\s\"]+";

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                AREA,
                "Upgrade the kubelet configuration for this node",
                Flag.CONFIG,
                Flag.DRY_RUN,
                Flag.KUBECONFIG,
                Flag.PATCHES,
                Flag.RESTART_KUBELET);
    }

    @Override
    public UpgradeRun run(UpgradeRun run, Reporter out) {
        KubernetesPaths paths = run.installed().paths();
        NodeChanges changes = run.changes().begin();
        keepSocket(run, changes, paths, out);
        KubeletFileStore.Input input = run.kubeletInput(run.settings().patchesDirectory());
        boolean changed = changes.write(
                AREA,
                paths.kubeletConfig(),
                ManifestYaml.write(store.effective(input).tree()),
                FileMode.WORLD_READABLE);
        out.step(
                AREA,
                (changed ? "Wrote kubelet configuration to \"%s\"" : "\"%s\" is up to date")
                        .formatted(paths.kubeletConfig()));
        if (run.settings().scope().restartKubelet()) {
            restart.restart(run, changes, AREA, out);
        } else {
            out.step(
                    AREA,
                    "The kubelet uses it after a restart: upgrade its package, then run 'systemctl restart kubelet'");
        }
        return run;
    }

    /** The socket's place is the instance configuration; older releases kept it among the flags. */
    private void keepSocket(
            UpgradeRun run, NodeChanges changes, KubernetesPaths paths, Reporter out) {
        if (!machine.files().exists(paths.kubeletInstanceConfig())) {
            changes.write(
                    AREA,
                    paths.kubeletInstanceConfig(),
                    KubeletFiles.instanceConfig(run.installed().criSocket()),
                    FileMode.WORLD_READABLE);
            machine.files()
                    .read(paths.kubeletFlags())
                    .ifPresent(flags -> changes.write(
                            AREA,
                            paths.kubeletFlags(),
                            flags.replaceAll(SOCKET_FLAG, ""),
                            FileMode.WORLD_READABLE));
        }
        try {
            var api = clients.of(run.kubeconfig());
            boolean annotated = api.get(Node.class, "", run.installed().name())
                    .map(node -> node.getMetadata().getAnnotations())
                    .filter(annotations -> annotations.containsKey(SOCKET_ANNOTATION))
                    .isPresent();
            if (annotated) {
                api.patch(
                        Node.class,
                        "",
                        run.installed().name(),
                        node -> node.edit()
                                .editMetadata()
                                .removeFromAnnotations(SOCKET_ANNOTATION)
                                .endMetadata()
                                .build());
            }
        } catch (KubeApiException e) {
            // nobody reads it any more
            out.detail("kubelet-config: annotation %s stays on the node: %s"
                    .formatted(SOCKET_ANNOTATION, e.getMessage()));
        }
    }
}
