package io.kjadm.core.init;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.CertificateStore.CheckLevel;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

/** {@code certs/NAME}: one certificate with its key, taken over if it is there. */
record CertificatePhase(CertificateSpec spec, CertificateStore store) implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        Flag[] flags = spec.name().equals(CertificateSet.API_SERVER)
                ? InitPhaseFlags.API_SERVER_CERTIFICATE
                : InitPhaseFlags.CERTIFICATE;
        return PhaseInfo.of(spec.name(), "Generate " + spec.description(), flags);
    }

    @Override
    public boolean applies(InitRun run) {
        return run.node().cluster().etcd() instanceof LocalEtcd || !spec.needsStackedEtcd();
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        store.provide(run.node(), spec, CheckLevel.CHAIN_AND_KEY);
        return run;
    }
}
