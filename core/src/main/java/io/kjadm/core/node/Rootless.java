package io.kjadm.core.node;

import io.kjadm.core.feature.FeatureGates;
import io.kjadm.manifests.RunAsIds;
import java.util.Optional;

/** Users that static pods run as when the gate {@code RootlessControlPlane} is on (kubeadm reference 03 §2.9). */
@FunctionalInterface
public interface Rootless {

    /** Who a component runs as; empty for root. */
    Optional<RunAsIds> idsOf(FeatureGates gates, String component);
}
