package io.kjadm.core.standalone;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.KeyPairPool;

import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;

/**
 * {@code certs}: the CA and what it signs for this member. Whoever founds a cluster makes a CA if
 * there is none; whoever joins must have the cluster's.
 */
record EtcdCertsPhase(HostFiles files, KeyPairPool keys, InstantSource clock)
        implements Phase<EtcdRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "certs",
                        "Generate the CA and the certificates of this member and its clients",
                        EtcdPhaseFlags.CERTS)
                .alias("certificates");
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        Path directory = run.settings().directories().certificates();
        Instant now = clock.instant();
        EtcdCertificates certificates = new EtcdCertificates(files, keys, now, out);
        out.step("certs", "Using certificates directory \"%s\"".formatted(directory));
        certificates.provide(run.settings(), authority(run, directory, certificates, out));
        return run;
    }

    private CertificateAuthority authority(
            EtcdRun run, Path directory, EtcdCertificates certificates, Reporter out) {
        if (run.target().isPresent()) {
            run.options()
                    .bundle()
                    .ifPresent(bundle -> certificates.adopt(
                            directory,
                            CaBundle.read(
                                    files,
                                    bundle,
                                    run.options().certificateKey().orElseThrow())));
            return certificates.requireAuthority(directory, run.target().get().caPins());
        }
        if (run.settled()) {
            certificates.requireKnown(directory);
        }
        CertificateAuthority ca = certificates.foundAuthority(directory);
        run.options().bundle().ifPresent(bundle -> {
            certificates
                    .bundle(directory)
                    .write(files, bundle, run.options().certificateKey().orElseThrow());
            out.step("certs", "Wrote the CA, encrypted, to %s".formatted(bundle));
        });
        return ca;
    }
}
