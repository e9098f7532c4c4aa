package io.kjadm.core.certs;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateFiles;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.Validity;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Makes a kubeconfig for somebody besides the cluster's own components. */
public final class UserKubeconfig {

    private final CertificateStore certificates;
    private final KeyPairPool keys;
    private final Reporter out;

    public UserKubeconfig(HostFiles files, KeyPairPool keys, Reporter out) {
        this.certificates = new CertificateStore(files, keys, out);
        this.keys = keys;
        this.out = out;
    }

    /**
     * Whom it is for.
     *
     * @param name          the user: the certificate's common name
     * @param organizations the user's groups
     * @param token         a bearer token to put in instead of a certificate
     */
    public record User(String name, List<String> organizations, Optional<String> token) {

        public User {
            organizations = List.copyOf(organizations);
            if (name.isBlank()) {
                throw new UsageException(
                        "--client-name is missing",
                        "a kubeconfig needs a user",
                        "name the user: kjadm kubeconfig user --client-name NAME");
            }
        }

        @Override
        public String toString() {
            return "User[%s]".formatted(name);
        }
    }

    /**
     * The text of the kubeconfig; it holds a secret.
     *
     * @param validity how long the certificate is valid; a token has a term of its own
     * @throws UsageException if that is no time at all
     * @throws HostException  if the cluster's CA or its key is not here
     */
    public String make(ControlPlaneNode node, User user, Duration validity) {
        if (!validity.isPositive()) {
            throw new UsageException(
                    "--validity-period must be greater than 0",
                    "it is " + validity,
                    "write it as 24h or 8760h");
        }
        if (validity.compareTo(CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY) > 0) {
            out.warn("the certificate will be valid for longer than a year, and cannot be revoked");
        }
        CertificateAuthority ca = certificates.authority(node, CertificateSet.CA);
        if (!ca.canSign()) {
            throw new HostException(
                    "a kubeconfig for user \"%s\" cannot be made".formatted(user.name()),
                    "the cluster's CA is external: its key is not on this node",
                    "have a client certificate signed where the key is, and embed it with 'kubectl config set-credentials'");
        }
        return Kubeconfig.of(
                        new Kubeconfig.Names(node.cluster().clusterName(), user.name()),
                        new KubeconfigCluster(
                                node.controlPlaneEndpoint().toString(), ca.certificatePem()),
                        user.token()
                                .map(KubeconfigUser::token)
                                .orElseGet(() -> certificate(node, user, validity, ca)))
                .render();
    }

    private KubeconfigUser certificate(
            ControlPlaneNode node, User user, Duration validity, CertificateAuthority ca) {
        IssuedCertificate issued = ca.issue(
                LeafRequest.client(user.name(), user.organizations()),
                keys.of(node.keyAlgorithm()),
                Validity.sinceCa(ca, node.startedAt(), validity));
        return KubeconfigUser.certificate(issued.certificatePem(), issued.keyPem());
    }
}
