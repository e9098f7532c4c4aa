package io.kjadm.core.init;

import io.kjadm.core.cluster.ConfigurationUpload;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ConfigurationMaps;

/** {@code upload-config/kubeadm}: keeps the cluster's configuration where joining nodes read it. */
final class UploadKubeadmConfigPhase implements Phase<InitRun> {

    private final AdminWriters writes;

    UploadKubeadmConfigPhase(AdminWriters writes) {
        this.writes = writes;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "kubeadm",
                "Upload the ClusterConfiguration to a ConfigMap",
                InitPhaseFlags.UPLOAD_CONFIG);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        out.step(
                "upload-config",
                "Storing the configuration used in ConfigMap \"%s\" in the \"kube-system\" Namespace"
                        .formatted(ConfigurationMaps.KUBEADM_CONFIG));
        ConfigurationUpload.kubeadm(run.node().cluster(), writes.of(run, "upload-config", out));
        return run;
    }
}
