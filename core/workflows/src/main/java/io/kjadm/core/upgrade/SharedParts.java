package io.kjadm.core.upgrade;

import io.fabric8.kubernetes.api.model.Pod;
import io.kjadm.core.addon.CoreDns;
import io.kjadm.core.addon.KubeProxy;
import io.kjadm.core.cluster.ClusterWriter;
import io.kjadm.core.cluster.ConfigurationUpload;
import io.kjadm.core.cluster.JoinCredentials;
import io.kjadm.core.config.Images;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.PlainPhase;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.KubeSystem;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The phases that bring up to date what all nodes share. */
record SharedParts(KubeClients clients, NodeStores stores, HostFiles files, Waiter waiter) {

    private static final Flag[] FLAGS = {Flag.CONFIG, Flag.KUBECONFIG, Flag.DRY_RUN};
    private static final Flag[] PATCHED = {Flag.CONFIG, Flag.KUBECONFIG, Flag.DRY_RUN, Flag.PATCHES
    };

    private Phase<UpgradeRun> phase(PhaseInfo info, String area, ClusterPhase.ClusterWork work) {
        return new ClusterPhase(info, clients, waiter, area, work);
    }

    /** {@code upload-config}: from now on joining nodes, and other nodes' upgrades, take the version. */
    Phase<UpgradeRun> uploadConfig() {
        return PlainPhase.group(
                PhaseInfo.of(
                                "upload-config",
                                "Upload the kubeadm and kubelet configurations to ConfigMaps",
                                FLAGS)
                        .alias("uploadconfig"),
                List.of(
                        phase(
                                PhaseInfo.of(
                                        "kubeadm",
                                        "Upload the kubeadm ClusterConfiguration to a ConfigMap",
                                        FLAGS),
                                "upload-config",
                                (run, to, out) -> {
                                    out.step(
                                            "upload-config",
                                            "Storing the configuration used in ConfigMap \"%s\" in the \"kube-system\" Namespace"
                                                    .formatted(ConfigurationMaps.KUBEADM_CONFIG));
                                    ConfigurationUpload.kubeadm(now(run, to).cluster(), to);
                                }),
                        phase(
                                PhaseInfo.of(
                                        "kubelet",
                                        "Upload the kubelet configuration to a ConfigMap",
                                        FLAGS),
                                "upload-config",
                                (run, to, out) -> {
                                    out.step(
                                            "upload-config",
                                            "Storing the kubelet configuration in ConfigMap \"%s\" in the \"kube-system\" Namespace"
                                                    .formatted(ConfigurationMaps.KUBELET_CONFIG));
                                    ConfigurationUpload.kubelet(now(run, to).kubelet(), to);
                                })));
    }

    /** The run may have begun long ago, and others may have changed it since. */
    private StoredConfiguration now(UpgradeRun run, ClusterWriter to) {
        return StoredConfiguration.read(
                to.api(),
                new KubeCalls(waiter, run.timeouts().kubernetesApiCall()),
                Optional.of(run.stored().cluster().kubernetesVersion()),
                _ -> {}); // it was warned of when the run began
    }

    /** {@code bootstrap-token}: what bearers of tokens may do; no token is made. */
    Phase<UpgradeRun> bootstrapToken() {
        return phase(
                PhaseInfo.of(
                        "bootstrap-token",
                        "Configures bootstrap token and cluster-info RBAC rules",
                        FLAGS),
                "bootstrap-token",
                (run, to, out) -> {
                    out.step(
                            "bootstrap-token",
                            "Configuring bootstrap tokens, cluster-info ConfigMap, RBAC Roles");
                    JoinCredentials.tokens(List.of(), to);
                    JoinCredentials.clusterInfo(run.installed().paths().adminConf(), files, to);
                });
    }

    /** {@code addon}: CoreDNS and kube-proxy, once the last control plane has the version. */
    Phase<UpgradeRun> addon() {
        return PlainPhase.group(
                PhaseInfo.of("addon", "Upgrade the default kubeadm addons", PATCHED),
                List.of(
                        phase(
                                PhaseInfo.of("coredns", "Upgrade the CoreDNS addon", PATCHED),
                                "addons",
                                this::coreDns),
                        phase(
                                PhaseInfo.of("kube-proxy", "Upgrade the kube-proxy addon", FLAGS),
                                "addons",
                                this::kubeProxy)));
    }

    private void coreDns(UpgradeRun run, ClusterWriter to, Reporter out) {
        if (run.stored().cluster().dns().disabled()) {
            out.step("addons", "Skipping CoreDNS: it is disabled in the cluster's configuration");
        } else if (isLast(run, to, out)) {
            new CoreDns(run.stored().cluster(), stores.patches(), run.settings().patchesDirectory())
                    .install(to, out);
            out.step("addons", "Applied essential addon: CoreDNS");
        }
    }

    private void kubeProxy(UpgradeRun run, ClusterWriter to, Reporter out) {
        if (run.stored().cluster().proxyDisabled() || run.stored().kubeProxy().isEmpty()) {
            out.step("addons", "Skipping kube-proxy: the cluster does without it");
        } else if (isLast(run, to, out)) {
            to.apply(KubeProxy.of(
                            run.stored().cluster(),
                            run.node().controlPlaneEndpoint(),
                            run.stored().kubeProxy().get(),
                            stores.pods(),
                            KubeProxy.patching(stores.patches(), run.settings().patchesDirectory()))
                    .inWriteOrder());
            out.step("addons", "Applied essential addon: kube-proxy");
        }
    }

    /** Addons of the new version may need what only the new API server has. */
    private static boolean isLast(UpgradeRun run, ClusterWriter to, Reporter out) {
        String image = Images.of(run.stored().cluster()).apiServer();
        List<String> others = to.repeat(
                "list the API servers",
                () -> to
                        .api()
                        .list(
                                Pod.class,
                                KubeSystem.NAMESPACE,
                                Map.of("component", ApiServerPod.NAME, "tier", "control-plane"))
                        .stream()
                        .filter(pod -> !pod.getMetadata()
                                .getName()
                                .equals("%s-%s"
                                        .formatted(
                                                ApiServerPod.NAME,
                                                run.installed().name())))
                        .filter(pod -> pod.getSpec().getContainers().stream()
                                .noneMatch(container -> image.equals(container.getImage())))
                        .map(pod -> pod.getMetadata().getName())
                        .toList());
        if (!others.isEmpty()) {
            out.step(
                    "addons",
                    "Left to the last control-plane node: these still have another version: "
                            + String.join(", ", others));
        }
        return others.isEmpty();
    }

    /**
     * A phase that writes objects of the cluster, in the way {@code init} does: what is there already
     * is brought up to date.
     *
     * @param area of the messages
     * @param work what it does with the writer
     */
    private record ClusterPhase(
            PhaseInfo info, KubeClients clients, Waiter waiter, String area, ClusterWork work)
            implements Phase<UpgradeRun> {

        /** What is written. */
        interface ClusterWork {
            /** Writes it. */
            void write(UpgradeRun run, ClusterWriter to, Reporter out);
        }

        @Override
        public UpgradeRun run(UpgradeRun run, Reporter out) {
            if (!run.controlPlane()) {
                out.step(area, "Skipping phase: this node has no control plane");
                return run;
            }
            work.write(
                    run,
                    new ClusterWriter(
                            clients.of(run.kubeconfig()),
                            waiter,
                            run.timeouts().kubernetesApiCall(),
                            area),
                    out);
            return run;
        }
    }
}
