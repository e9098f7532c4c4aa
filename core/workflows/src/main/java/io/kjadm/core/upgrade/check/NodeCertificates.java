package io.kjadm.core.upgrade.check;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeAccess.Credential.ClientCertificate;
import io.kjadm.core.kube.KubeAccesses;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.check.NodeState.Certificate;
import io.kjadm.etcd.Problem;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.ManifestException;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The certificates of this node, and when they end. */
public final class NodeCertificates {

    private final HostFiles files;

    public NodeCertificates(HostFiles files) {
        this.files = files;
    }

    /** Whether the client certificate of a kubeconfig has ended: who shows it need not ask. */
    public Optional<Problem> ended(Path kubeconfig, Instant now) {
        return NodeRules.ended(inKubeconfig(kubeconfig).stream().toList(), now).stream()
                .map(UpgradeFinding::problem)
                .findFirst();
    }

    /** What may explain that the API server does not answer: certificates that have ended. */
    public Optional<Problem> ended(KubernetesPaths paths, Instant now) {
        return NodeRules.ended(read(paths), now).stream()
                .map(UpgradeFinding::problem)
                .findFirst();
    }

    /** Those that are there: of the certificates directory, and in kubeconfigs. */
    List<Certificate> read(KubernetesPaths paths) {
        Stream<Certificate> inFiles = CertificateSet.all().stream()
                .flatMap(spec -> files
                        .read(paths.certificate(spec.certificateFile()))
                        .map(pem -> certificate(spec.certificateFile(), spec.isCa(), pem))
                        .stream());
        // the kubelet renews its own
        Stream<Certificate> inKubeconfigs = KubeconfigSpec.FIRST_NODE.stream()
                .filter(spec -> spec != KubeconfigSpec.KUBELET)
                .flatMap(spec -> inKubeconfig(paths.kubeconfig(spec.fileName())).stream());
        return Stream.concat(inFiles, inKubeconfigs).toList();
    }

    private Optional<Certificate> inKubeconfig(Path path) {
        String name = path.getFileName().toString();
        return files.read(path).flatMap(text -> {
            try {
                return KubeAccesses.credential(Kubeconfig.parse(text), path, files)
                                instanceof ClientCertificate(String pem, String _)
                        ? Optional.of(certificate(name, false, pem))
                        : Optional.empty();
            } catch (ManifestException | HostException e) {
                return Optional.of(new Certificate(name, false, Optional.empty()));
            }
        });
    }

    private static Certificate certificate(String name, boolean ca, String pem) {
        try {
            return new Certificate(
                    name, ca, Optional.of(CertificateInfo.parse(pem).notAfter()));
        } catch (PkiException e) {
            return new Certificate(name, ca, Optional.empty());
        }
    }
}
