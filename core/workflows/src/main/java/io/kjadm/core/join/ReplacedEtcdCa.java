package io.kjadm.core.join;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.core.pki.PairFile;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.PkiException;

import java.util.Optional;

/**
 * etcd's CA on a node whose join was interrupted, while the cluster's was replaced ({@code etcd
 * certs rotate-ca}): no member accepts what the previous one has signed. As long as this node has
 * no member, the new one takes its place, and what the previous one has signed is deleted, to be
 * made again.
 */
record ReplacedEtcdCa(HostFiles files, KubernetesPaths paths) {

    private static final CertificateSpec CA = CertificateSet.named(CertificateSet.ETCD_CA);

    private CertificatePair pair(CertificateSpec spec) {
        return CertificatePair.of(paths.certificatesDir(), spec);
    }

    /** Goes on with an exchange that was interrupted. */
    void finish() {
        new PairFile(files, pair(CA)).finish();
    }

    /**
     * Takes the uploaded one if it is newer. An older one may be what was uploaded before the
     * rotation, where an operator has brought the new one here.
     */
    void follow(IssuedCertificate uploaded, Reporter out) {
        if (hasMember() || !isNewer(uploaded)) {
            return;
        }
        out.step(
                "download-certs",
                "etcd's CA was replaced since this join began: saving the new one in %s"
                        .formatted(pair(CA).certificate()));
        CertificateSet.all().stream()
                .filter(spec -> spec.caName().equals(Optional.of(CA.name())))
                .map(this::pair)
                .forEach(leaf -> {
                    // an interrupted run may leave a key alone
                    files.delete(leaf.certificate());
                    files.delete(leaf.key());
                });
        new PairFile(files, pair(CA)).replace(uploaded);
    }

    private boolean hasMember() {
        return files.exists(paths.manifest(EtcdPod.NAME))
                || new JournalFile(files, paths.tmpDir())
                        .read()
                        .filter(entry -> entry.state().mayBeListed())
                        .isPresent();
    }

    private boolean isNewer(IssuedCertificate uploaded) {
        try {
            CertificateAuthority here = pair(CA).authority(files);
            CertificateAuthority there = CertificateAuthority.load(
                    uploaded.certificatePem(), Optional.of(uploaded.keyPem()));
            return there.notBefore().isAfter(here.notBefore());
        } catch (PkiException | HostException e) {
            // what uses it tells what is wrong with it
            return false;
        }
    }
}
