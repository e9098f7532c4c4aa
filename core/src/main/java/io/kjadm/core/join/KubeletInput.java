package io.kjadm.core.join;

import io.kjadm.core.host.Services;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.node.ResolvConf;

/** What a joining node's kubelet files are made from. */
final class KubeletInput {

    private KubeletInput() {}

    static KubeletFileStore.Input of(JoinRun run, Services services) {
        return new KubeletFileStore.Input(
                run.config().nodeRegistration(),
                ResolvConf.applied(run.cluster().kubelet(), services),
                run.cluster().cluster().featureGates(),
                run.config().patchesDirectory(),
                run.paths(),
                run.controlPlane());
    }
}
