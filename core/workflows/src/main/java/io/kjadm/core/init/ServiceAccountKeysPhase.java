package io.kjadm.core.init;

import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/**
 * {@code certs/sa}: the pair that signs service account tokens; with an external CA the operator
 * brings it.
 */
record ServiceAccountKeysPhase(CertificateStore store) implements Phase<InitRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "sa",
                "Generate a private key for signing service account tokens along with its public key",
                InitPhaseFlags.CERTIFICATE);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        if (run.externalCa()) {
            out.step("certs", "External CA: the \"sa\" key pair must be provided");
            return run;
        }
        store.provideServiceAccountKeys(run.node());
        return run;
    }
}
