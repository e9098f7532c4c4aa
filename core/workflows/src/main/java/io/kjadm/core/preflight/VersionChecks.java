package io.kjadm.core.preflight;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.preflight.machine.InstalledKubelet;
import io.kjadm.core.value.KubernetesVersion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks of Kubernetes versions against each other. */
final class VersionChecks {

    private VersionChecks() {}

    /** The control plane should not be of a newer minor than this program. */
    static Check kubernetes(String controlPlane, KubernetesVersion own) {
        return Check.of("KubernetesVersion", () -> {
            Optional<KubernetesVersion> wanted = KubernetesVersion.parse(controlPlane);
            if (wanted.isEmpty()) {
                return List.of(Finding.error(
                        "cannot parse Kubernetes version \"%s\"".formatted(controlPlane)));
            }
            return Finding.warningIf(
                    !own.minorAtLeast(wanted.get()),
                    "Kubernetes version %s is newer than the versions this program knows (up to v%d.%d)"
                            .formatted(wanted.get(), own.major(), own.minor()));
        });
    }

    /** The kubelet is neither too old nor newer than the control plane, where that one is known. */
    static Check kubelet(InstalledKubelet kubelet, Optional<KubernetesVersion> controlPlane) {
        return Check.of("KubeletVersion", () -> {
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
        });
    }
}
