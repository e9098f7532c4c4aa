package io.kjadm.core.init;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

import java.util.Optional;

/** {@code etcd/local}: the manifest of the first member of a stacked etcd. */
record EtcdLocalPhase(ManifestStore manifests) implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "local",
                "Generate the static Pod manifest file for the first member of a stacked etcd",
                InitPhaseFlags.ETCD);
    }

    @Override
    public boolean applies(InitRun run) {
        return run.node().cluster().etcd() instanceof LocalEtcd;
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        if (run.node().cluster().etcd() instanceof LocalEtcd etcd) {
            out.step(
                    "etcd",
                    "Creating static Pod manifest for local etcd in \"%s\""
                            .formatted(run.node().paths().manifestsDir()));
            manifests.writeEtcd(run.node(), etcd, Optional.empty());
        }
        return run;
    }
}
