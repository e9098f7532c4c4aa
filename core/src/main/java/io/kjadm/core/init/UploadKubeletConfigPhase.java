package io.kjadm.core.init;

import io.kjadm.core.cluster.ConfigurationUpload;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ConfigurationMaps;

/**
 * {@code upload-config/kubelet}: keeps the cluster-wide kubelet configuration, without what is one
 * node's.
 */
final class UploadKubeletConfigPhase implements Phase<InitRun> {

    private final AdminWriters writes;

    UploadKubeletConfigPhase(AdminWriters writes) {
        this.writes = writes;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "kubelet",
                "Upload the kubelet component config to a ConfigMap",
                InitPhaseFlags.UPLOAD_CONFIG);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        out.step(
                "kubelet",
                "Creating a ConfigMap \"%s\" in namespace kube-system with the configuration for the kubelets in the cluster"
                        .formatted(ConfigurationMaps.KUBELET_CONFIG));
        ConfigurationUpload.kubelet(run.node().kubelet(), writes.of(run, "upload-config", out));
        return run;
    }
}
