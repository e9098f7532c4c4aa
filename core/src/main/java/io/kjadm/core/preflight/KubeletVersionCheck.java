package io.kjadm.core.preflight;

import io.kjadm.core.config.KubernetesVersion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The kubelet is neither too old nor newer than the control plane, where that one is known. */
record KubeletVersionCheck(InstalledKubelet kubelet, Optional<KubernetesVersion> controlPlane)
        implements Check {

    @Override
    public String name() {
        return "KubeletVersion";
    }

    @Override
    public List<Finding> run() {
        KubernetesVersion installed = kubelet.version();
        KubernetesVersion oldest = KubernetesVersion.OLDEST_KUBELET;
        List<Finding> findings = new ArrayList<>(Finding.errorIf(
                installed.compareTo(oldest) < 0,
                "kubelet version %s is older than %s, the oldest one supported"
                        .formatted(installed, oldest)));
        controlPlane
                .filter(version -> !version.minorAtLeast(installed))
                .ifPresent(version -> findings.add(Finding.error(
                        "the kubelet version %s is higher than the control plane version %s"
                                .formatted(installed, version))));
        return findings;
    }
}
