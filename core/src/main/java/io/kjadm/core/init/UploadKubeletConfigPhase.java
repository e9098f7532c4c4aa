package io.kjadm.core.init;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.ConfigurationMaps.Origin;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.RbacObjects;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code upload-config/kubelet}: keeps the cluster-wide kubelet configuration, without what is one
 * node's.
 */
final class UploadKubeletConfigPhase implements Phase<InitRun> {

    private final AdminObjectWriter writes;

    UploadKubeletConfigPhase(AdminObjectWriter writes) {
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
        KubeletConfig kubelet = run.node().kubelet();
        List<HasMetadata> objects = new ArrayList<>();
        objects.add(ConfigurationMaps.kubeletConfig(
                ManifestYaml.write(kubelet.tree()),
                kubelet.userSupplied() ? Origin.USER_SUPPLIED : Origin.GENERATED));
        objects.addAll(RbacObjects.kubeletConfig());
        writes.apply(run, "upload-config", objects, out);
        return run;
    }
}
