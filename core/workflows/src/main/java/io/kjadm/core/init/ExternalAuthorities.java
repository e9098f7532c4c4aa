package io.kjadm.core.init;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.node.KubeconfigStore;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

/**
 * CAs whose keys are kept elsewhere: everything they would have to sign must be provided, and that
 * is checked before anything is changed.
 */
public final class ExternalAuthorities {

    private final CertificateStore certificates;
    private final KubeconfigStore kubeconfigs;
    private final HostFiles files;

    public ExternalAuthorities(
            CertificateStore certificates, KubeconfigStore kubeconfigs, HostFiles files) {
        this.certificates = certificates;
        this.kubeconfigs = kubeconfigs;
        this.files = files;
    }

    /**
     * Checks what goes with external CAs.
     *
     * @return whether the cluster's CA is external
     */
    public boolean check(ControlPlaneNode node, boolean uploadCerts) {
        boolean cluster = certificates.isExternal(node, CertificateSet.CA);
        boolean frontProxy = certificates.isExternal(node, CertificateSet.FRONT_PROXY_CA);
        if (uploadCerts && (cluster || frontProxy)) {
            throw new UsageException(
                    "certificates cannot be uploaded",
                    "the key of the %s CA is not on this node"
                            .formatted(cluster ? "cluster's" : "front proxy's"),
                    "leave out --upload-certs and copy the certificates to joining control-plane nodes");
        }
        if (cluster) {
            requireLeaves(node, CertificateSet.CA);
            KubeconfigSpec.FIRST_NODE.forEach(spec -> kubeconfigs.check(node, spec));
        }
        if (frontProxy) {
            requireLeaves(node, CertificateSet.FRONT_PROXY_CA);
        }
        return cluster;
    }

    private void requireLeaves(ControlPlaneNode node, String caName) {
        CertificateAuthority ca = certificates.authority(node, caName);
        for (CertificateSpec leaf : CertificateSet.signedBy(caName)) {
            node.pair(leaf).requireSigned(files, caName, ca, _ -> node.startedAt());
        }
    }
}
