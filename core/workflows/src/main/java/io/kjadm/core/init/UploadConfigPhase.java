package io.kjadm.core.init;

import io.kjadm.core.cluster.ClusterWriter;
import io.kjadm.core.cluster.ConfigurationUpload;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ConfigurationMaps;

import java.util.function.BiConsumer;

/**
 * {@code upload-config/NAME}: keeps one configuration where joining nodes read it.
 *
 * @param area   in whose name it is announced
 * @param step   what is announced
 * @param upload writes it
 */
record UploadConfigPhase(
        PhaseInfo info,
        AdminWriters writes,
        String area,
        String step,
        BiConsumer<InitRun, ClusterWriter> upload)
        implements Phase<InitRun> {

    /** The cluster's configuration. */
    static UploadConfigPhase kubeadm(AdminWriters writes) {
        return new UploadConfigPhase(
                PhaseInfo.of(
                        "kubeadm",
                        "Upload the ClusterConfiguration to a ConfigMap",
                        InitPhaseFlags.UPLOAD_CONFIG),
                writes,
                "upload-config",
                "Storing the configuration used in ConfigMap \"%s\" in the \"kube-system\" Namespace"
                        .formatted(ConfigurationMaps.KUBEADM_CONFIG),
                (run, to) -> ConfigurationUpload.kubeadm(run.node().cluster(), to));
    }

    /** The configuration of all kubelets, without what is one node's. */
    static UploadConfigPhase kubelet(AdminWriters writes) {
        return new UploadConfigPhase(
                PhaseInfo.of(
                        "kubelet",
                        "Upload the kubelet component config to a ConfigMap",
                        InitPhaseFlags.UPLOAD_CONFIG),
                writes,
                "kubelet",
                "Creating a ConfigMap \"%s\" in namespace kube-system with the configuration for the kubelets in the cluster"
                        .formatted(ConfigurationMaps.KUBELET_CONFIG),
                (run, to) -> ConfigurationUpload.kubelet(run.node().kubelet(), to));
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        out.step(area, step);
        upload.accept(run, writes.of(run, "upload-config", out));
        return run;
    }
}
