package io.kjadm.core.preflight;

import io.kjadm.core.config.KubernetesVersion;

import java.util.List;
import java.util.Optional;

/** The control plane should not be of a newer minor than this program. */
record KubernetesVersionCheck(String controlPlane, KubernetesVersion own) implements Check {

    @Override
    public String name() {
        return "KubernetesVersion";
    }

    @Override
    public List<Finding> run() {
        Optional<KubernetesVersion> wanted = KubernetesVersion.parse(controlPlane);
        if (wanted.isEmpty()) {
            return List.of(Finding.error(
                    "cannot parse Kubernetes version \"%s\"".formatted(controlPlane)));
        }
        return Finding.warningIf(
                !own.minorAtLeast(wanted.get()),
                "Kubernetes version %s is newer than the versions this program knows (up to v%d.%d)"
                        .formatted(wanted.get(), own.major(), own.minor()));
    }
}
