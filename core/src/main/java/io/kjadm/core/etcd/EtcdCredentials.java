package io.kjadm.core.etcd;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PrivateKeyPem;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What proves this node to etcd: its healthcheck certificate, or one made for the occasion if that
 * is lost or out of date and the CA's key is here.
 */
public final class EtcdCredentials {

    private static final Duration VALIDITY = Duration.ofHours(1);
    private static final CertificateSpec CA = CertificateSet.named(CertificateSet.ETCD_CA);
    private static final CertificateSpec CLIENT =
            CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT);

    private final HostFiles files;
    private final EtcdFinder finder;

    public EtcdCredentials(HostFiles files, EtcdFinder finder) {
        this.files = files;
        this.finder = finder;
    }

    /**
     * Access to these client URLs.
     *
     * @throws HostException if there is nothing to prove this node with
     */
    public EtcdAccess at(List<URI> endpoints, KubernetesPaths paths, Instant now) {
        Optional<String> caPem = files.read(paths.certificate(CA.certificateFile()));
        Optional<String> caKey = files.read(paths.certificate(CA.keyFile()));
        if (usable(paths, now) || caPem.isEmpty() || caKey.isEmpty()) {
            return finder.at(endpoints, paths);
        }
        try {
            CertificateAuthority ca = CertificateAuthority.load(caPem.get(), caKey);
            IssuedCertificate client = ca.issue(
                    CLIENT.requestFor("", SubjectNames.none()),
                    KeyAlgorithm.DEFAULT,
                    Validity.startingAt(now, VALIDITY));
            return new EtcdAccess(
                    endpoints,
                    ca.certificatePem(),
                    client.certificatePem(),
                    PrivateKeyPem.toPkcs8(client.keyPem()));
        } catch (PkiException e) {
            throw new HostException(
                    "no client certificate for etcd can be made",
                    e.getMessage(),
                    "restore %s and its key".formatted(paths.certificate(CLIENT.certificateFile())),
                    e);
        }
    }

    private boolean usable(KubernetesPaths paths, Instant now) {
        try {
            return files.exists(paths.certificate(CLIENT.keyFile()))
                    && files.read(paths.certificate(CLIENT.certificateFile()))
                            .map(CertificateInfo::parse)
                            .filter(info -> info.isValidAt(now))
                            .isPresent();
        } catch (PkiException e) {
            return false;
        }
    }
}
