package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.ServiceAccountKeys;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Certificates copied by hand, for a join without a certificate key: what all control-plane nodes
 * share must be here, everything else is made (KEP-15).
 */
record ProvidedCertificates(HostFiles files) {

    /**
     * Checks all of them.
     *
     * @throws UsageException naming every file that is missing or unusable
     */
    void check(ControlPlaneNode node, Reporter out) {
        List<String> faults = new ArrayList<>();
        boolean stacked = node.cluster().etcd() instanceof LocalEtcd;
        for (CertificateSpec ca : CertificateSet.cas()) {
            if (stacked || !ca.needsStackedEtcd()) {
                authority(node, ca, faults, out);
            }
        }
        serviceAccountKeys(node, faults);
        if (!faults.isEmpty()) {
            throw new UsageException(
                    "certificates that all control-plane nodes share are not on this node",
                    String.join("; ", faults),
                    "copy them from %s of another control-plane node, or upload them there with 'kjadm init phase upload-certs "
                                    .formatted(node.paths().certificatesDir())
                            + "--upload-certs' and join with the --certificate-key that it prints");
        }
    }

    private void authority(
            ControlPlaneNode node, CertificateSpec ca, List<String> faults, Reporter out) {
        content(
                node.pair(ca).certificate(),
                pem -> {
                    if (!CertificateInfo.parse(pem).isCa()) {
                        throw new PkiException("it is not a CA certificate");
                    }
                },
                faults);
        Path key = node.pair(ca).key();
        if (!files.exists(key)) {
            out.warn("%s is not on this node: the certificates that it signs must all be provided"
                    .formatted(key));
        }
    }

    private void serviceAccountKeys(ControlPlaneNode node, List<String> faults) {
        Path privateKey = node.paths().certificate(CertificateFiles.SERVICE_ACCOUNT_PRIVATE_KEY);
        int before = faults.size();
        content(privateKey, ServiceAccountKeys::checkPrivate, faults);
        boolean readable = faults.size() == before;
        content(
                node.paths().certificate(CertificateFiles.SERVICE_ACCOUNT_PUBLIC_KEY),
                pem -> {
                    ServiceAccountKeys.checkPublic(pem);
                    if (readable) {
                        // keys of one type are warned of where the pair is used
                        ServiceAccountKeys.belongTogether(
                                files.read(privateKey).orElseThrow(), pem);
                    }
                },
                faults);
    }

    private void content(Path path, Consumer<String> check, List<String> faults) {
        files.read(path)
                .ifPresentOrElse(
                        pem -> {
                            try {
                                check.accept(pem);
                            } catch (PkiException e) {
                                faults.add("%s: %s".formatted(path, e.getMessage()));
                            }
                        },
                        () -> faults.add("%s is missing".formatted(path)));
    }
}
