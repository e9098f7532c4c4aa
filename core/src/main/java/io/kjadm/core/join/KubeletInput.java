package io.kjadm.core.join;

import io.kjadm.core.node.KubeletFileStore;

/** What a joining node's kubelet files are made from. */
final class KubeletInput {

    private KubeletInput() {}

    static KubeletFileStore.Input of(JoinRun run) {
        return new KubeletFileStore.Input(run.config().nodeRegistration(), run.cluster().kubelet(),
                run.cluster().cluster().featureGates(), run.config().patchesDirectory(), run.paths(), run.controlPlane());
    }
}
