package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.CertificateStore.CheckLevel;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateSet;

/** {@code control-plane-prepare/certs}: makes the certificates that are this node's alone. */
record JoinCertsPhase(CertificateStore store, ProvidedCertificates provided)
        implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "certs",
                "Generate the certificates for the new control plane components",
                JoinPhaseFlags.CERTS);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        out.step(
                "certs",
                "Using certificateDir folder \"%s\"".formatted(run.paths().certificatesDir()));
        // a CA made here would be a second cluster's: kubeadm makes one if preflight was skipped
        provided.check(run.node(), out);
        run.begin();
        boolean stacked = run.cluster().cluster().etcd() instanceof LocalEtcd;
        CertificateSet.all().stream()
                .filter(spec -> stacked || !spec.needsStackedEtcd())
                .forEach(spec -> {
                    if (run.resumed()) {
                        store.complete(run.node(), spec);
                    }
                    store.provide(run.node(), spec, CheckLevel.CHAIN_KEY_AND_NAMES);
                });
        store.provideServiceAccountKeys(run.node());
        return run;
    }
}
