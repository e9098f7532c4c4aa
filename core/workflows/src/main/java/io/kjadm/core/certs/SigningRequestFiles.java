package io.kjadm.core.certs;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.CertificateSans;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.SigningRequest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Keys, and the requests for their certificates, for a cluster whose CAs sign elsewhere: a pair of
 * files for every certificate, and kubeconfigs that lack nothing but certificates.
 */
public final class SigningRequestFiles {

    private static final String AREA = "certs";
    private static final String SUFFIX = ".csr";

    private final HostFiles files;
    private final KeyPairPool keys;
    private final Reporter out;

    public SigningRequestFiles(HostFiles files, KeyPairPool keys, Reporter out) {
        this.files = files;
        this.keys = keys;
        this.out = out;
    }

    /**
     * Writes all of them. Etcd's are among them whether or not it is stacked, as kubeadm has it.
     *
     * @throws HostException if one of the files exists; nothing is written then
     */
    public void write(ControlPlaneNode node) {
        List<CertificateSpec> leaves =
                CertificateSet.all().stream().filter(spec -> !spec.isCa()).toList();
        refuseExisting(node, leaves);
        CertificateSans sans = new CertificateSans(node, out);
        for (CertificateSpec leaf : leaves) {
            SigningRequest request =
                    SigningRequest.leaf(leaf.requestFor(node.name(), sans.names(leaf)), pool(node));
            files.write(request(node, leaf), request.requestPem(), FileMode.OWNER_ONLY);
            files.write(node.pair(leaf).key(), request.keyPem(), FileMode.OWNER_ONLY);
            out.step(AREA, "Generating \"%s\" key and signing request".formatted(leaf.name()));
        }
        KubeconfigSpec.FIRST_NODE.forEach(spec -> write(node, spec));
    }

    private void write(ControlPlaneNode node, KubeconfigSpec spec) {
        String user = spec.userOn(node.name());
        SigningRequest request =
                SigningRequest.leaf(LeafRequest.client(user, spec.organizations()), pool(node));
        // the kubelet's is for the whole control plane here, since the node may be any
        boolean local = spec.local() && !spec.equals(KubeconfigSpec.KUBELET);
        String server = (local ? node.localEndpoint() : node.controlPlaneEndpoint()).toString();
        Kubeconfig kubeconfig = Kubeconfig.of(
                new Kubeconfig.Names(node.cluster().clusterName(), user),
                new KubeconfigCluster(server, Optional.empty(), Optional.empty()),
                KubeconfigUser.key(request.keyPem()));
        Path file = node.kubeconfig(spec.fileName());
        files.write(beside(file, SUFFIX), request.requestPem(), FileMode.OWNER_ONLY);
        files.write(file, kubeconfig.render(), FileMode.OWNER_ONLY);
        out.step(
                "kubeconfig",
                "Writing \"%s\" without its certificate, and the signing request for it"
                        .formatted(spec.fileName()));
    }

    private KeyPairPool pool(ControlPlaneNode node) {
        return keys.of(node.keyAlgorithm());
    }

    private void refuseExisting(ControlPlaneNode node, List<CertificateSpec> leaves) {
        List<Path> wanted = new ArrayList<>();
        leaves.forEach(leaf ->
                wanted.addAll(List.of(request(node, leaf), node.pair(leaf).key())));
        KubeconfigSpec.FIRST_NODE.stream()
                .map(spec -> node.kubeconfig(spec.fileName()))
                .flatMap(file -> Stream.of(file, beside(file, SUFFIX), beside(file, ".key")))
                .forEach(wanted::add);
        List<String> present =
                wanted.stream().filter(files::exists).map(Path::toString).toList();
        if (!present.isEmpty()) {
            throw new HostException(
                    "signing requests are not made over files that exist",
                    String.join(", ", present),
                    "move them away, or write elsewhere with --cert-dir and --kubeconfig-dir");
        }
    }

    private static Path request(ControlPlaneNode node, CertificateSpec leaf) {
        return node.paths().certificate(leaf.fileBase() + SUFFIX);
    }

    private static Path beside(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }
}
