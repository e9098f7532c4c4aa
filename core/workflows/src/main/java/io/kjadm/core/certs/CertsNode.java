package io.kjadm.core.certs;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.pki.CertificateFile;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.core.pki.PairFile;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.KeyAlgorithm;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * What has to be known of a control-plane node to look after its certificates.
 *
 * @param paths          with the certificates directory that is in use
 * @param stackedEtcd    whether its etcd is a static pod, or somebody else's
 * @param algorithm      of new keys
 * @param validityPeriod of new certificates
 * @param now            one moment for all certificates of the run
 */
public record CertsNode(
        KubernetesPaths paths,
        boolean stackedEtcd,
        KeyAlgorithm algorithm,
        Duration validityPeriod,
        Instant now) {

    Path certificate(CertificateSpec spec) {
        return pair(spec).certificate();
    }

    /** The files of a certificate and its key. */
    public CertificatePair pair(CertificateSpec spec) {
        return CertificatePair.of(paths.certificatesDir(), spec);
    }

    Path certificate(String name) {
        return certificate(CertificateSet.named(name));
    }

    /** Where the certificate is. */
    CertificateFile file(HostFiles files, ManagedCertificate certificate) {
        return certificate
                .pair()
                .<CertificateFile>map(spec -> new PairFile(files, pair(spec)))
                .orElseGet(() -> new KubeconfigFile(files, paths.kubeconfig(certificate.name())));
    }

    /**
     * The CA of that name, with its key if that is here.
     *
     * @throws io.kjadm.core.error.HostException if it is missing, unreadable or may not sign, or if
     *     its key is kept elsewhere and not all that it has to sign is here
     */
    CertificateAuthority authority(HostFiles files, String name) {
        CertificateAuthority ca = pair(CertificateSet.named(name)).authority(files);
        if (!ca.canSign()) {
            // at a moment when both are valid: that one has expired makes the CA no less external
            CertificateSet.signedBy(name)
                    .forEach(leaf -> pair(leaf).requireSigned(files, name, ca, pem -> {
                        Instant begun = CertificateInfo.parse(pem).notBefore();
                        return begun.isBefore(ca.notBefore()) ? ca.notBefore() : begun;
                    }));
        }
        return ca;
    }
}
