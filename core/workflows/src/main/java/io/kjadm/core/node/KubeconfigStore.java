package io.kjadm.core.node;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeAccesses;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.manifests.ManifestException;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.Validity;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The kubeconfigs of one node: takes what fits, makes what is missing.
 */
public final class KubeconfigStore {

    private static final String AREA = "kubeconfig";

    private final HostFiles files;
    private final CertificateStore certificates;
    private final KeyPairPool keys;
    private final Reporter out;

    public KubeconfigStore(
            HostFiles files, CertificateStore certificates, KeyPairPool keys, Reporter out) {
        this.files = files;
        this.certificates = certificates;
        this.keys = keys;
        this.out = out;
    }

    /**
     * Sees to it that a kubeconfig exists; one that is there is kept if it trusts this cluster's
     * CA.
     *
     * @throws HostException if the one there is for another cluster, or none can be made for want
     *         of the CA's key
     */
    public void provide(ControlPlaneNode node, KubeconfigSpec spec) {
        Path path = node.kubeconfig(spec.fileName());
        if (files.exists(path)) {
            check(node, spec);
            out.step(AREA, "Using existing kubeconfig file: \"%s\"".formatted(path));
            return;
        }
        CertificateAuthority ca = certificates.authority(node, CertificateSet.CA);
        if (!ca.canSign()) {
            throw new HostException(
                    "kubeconfig %s cannot be made".formatted(path),
                    "the key of the cluster's CA is not on this node",
                    "provide the file, or the CA's key");
        }
        files.write(path, make(node, spec, ca).render(), FileMode.OWNER_ONLY);
        out.step(AREA, "Writing \"%s\" kubeconfig file".formatted(spec.fileName()));
    }

    /**
     * Checks a kubeconfig that the operator provided: it must be there and trust this cluster's CA,
     * or another certificate of its chain if the CA is one of several in {@code ca.crt}.
     */
    public void check(ControlPlaneNode node, KubeconfigSpec spec) {
        check(node, spec, certificates.chain(node, CertificateSet.CA));
    }

    private Kubeconfig make(ControlPlaneNode node, KubeconfigSpec spec, CertificateAuthority ca) {
        String user = spec.userOn(node.name());
        IssuedCertificate client = ca.issue(
                LeafRequest.client(user, spec.organizations()),
                keys.of(node.keyAlgorithm()),
                Validity.sinceCa(ca, node.startedAt(), node.cluster().certificateValidityPeriod()));
        String server =
                (spec.local() ? node.localEndpoint() : node.controlPlaneEndpoint()).toString();
        return Kubeconfig.of(
                new Kubeconfig.Names(node.cluster().clusterName(), user),
                new KubeconfigCluster(server, ca.certificatePem()),
                KubeconfigUser.certificate(client.certificatePem(), client.keyPem()));
    }

    private void check(ControlPlaneNode node, KubeconfigSpec spec, List<CertificateInfo> cas) {
        Path path = node.kubeconfig(spec.fileName());
        String text = files.read(path)
                .orElseThrow(() -> new HostException(
                        "kubeconfig %s is missing".formatted(path),
                        "with an external CA it cannot be made here",
                        "provide the file"));
        KubeconfigCluster cluster = cluster(path, text);
        Optional<String> trusted = KubeAccesses.embeddedCa(cluster, path, files);
        if (trusted.isEmpty() || !trusts(path, trusted.get(), cas)) {
            throw new HostException(
                    CommonReason.OTHER_CLUSTER,
                    "kubeconfig %s is for another cluster".formatted(path),
                    "the CA certificate in it is not in %s"
                            .formatted(node.paths().caCertificate()),
                    "remove the file to generate it again, or restore the CA it belongs to");
        }
        String expected =
                (spec.local() ? node.localEndpoint() : node.controlPlaneEndpoint()).toString();
        if (!cluster.server().equals(expected)) {
            out.warn("kubeconfig %s points at %s, not at %s"
                    .formatted(path, cluster.server(), expected));
        }
    }

    private static KubeconfigCluster cluster(Path path, String text) {
        try {
            return Kubeconfig.parse(text).cluster();
        } catch (ManifestException e) {
            throw new HostException(
                    "kubeconfig %s cannot be used".formatted(path),
                    e.getMessage(),
                    "remove the file to generate it again",
                    e);
        }
    }

    private static boolean trusts(Path path, String trusted, List<CertificateInfo> cas) {
        try {
            String first = CertificateInfo.parseAll(trusted).getFirst().pem();
            return cas.stream().anyMatch(ca -> ca.pem().equals(first));
        } catch (PkiException e) {
            throw new HostException(
                    "the CA certificate in kubeconfig %s cannot be read".formatted(path),
                    e.getMessage(),
                    "remove the file to generate it again",
                    e);
        }
    }
}
