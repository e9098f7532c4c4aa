package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kjadm.core.config.ConfigurationYaml;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.RbacObjects;
import java.util.ArrayList;
import java.util.List;

/** {@code upload-config/kubeadm}: keeps the cluster's configuration where joining nodes read it. */
final class UploadKubeadmConfigPhase implements Phase<InitRun> {

    private final ClusterWrites writes;

    UploadKubeadmConfigPhase(ClusterWrites writes) {
        this.writes = writes;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("kubeadm", "Upload the ClusterConfiguration to a ConfigMap",
                InitFlagNames.UPLOAD_CONFIG);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        out.step("upload-config",
                "Storing the configuration used in ConfigMap \"%s\" in the \"kube-system\" Namespace"
                .formatted(ConfigurationMaps.KUBEADM_CONFIG));
        List<HasMetadata> objects = new ArrayList<>();
        objects.add(ConfigurationMaps.kubeadmConfig(
                ConfigurationYaml.cluster(run.node().cluster())));
        objects.addAll(RbacObjects.kubeadmConfig());
        writes.apply(run, "upload-config", objects, out);
        return run;
    }
}
