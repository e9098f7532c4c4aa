package io.kjadm.core.certs;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Control-plane node cp-1, two years after init: all that its CAs signed has expired. */
final class CertsLab {

    static final Duration YEAR = Duration.ofDays(365);

    private static final Instant INIT = new VirtualWaiter().now().minus(YEAR.multipliedBy(2));
    private static final Map<String, CertificateAuthority> CAS = new HashMap<>();

    static {
        CertificateSet.cas()
                .forEach(spec -> CAS.put(
                        spec.name(),
                        CertificateAuthority.create(
                                spec.commonNameOn(""),
                                KeyAlgorithm.ECDSA_P256,
                                Validity.startingAt(INIT, YEAR.multipliedBy(10)))));
    }

    final MemoryFiles files = new MemoryFiles();
    final VirtualWaiter waiter = new VirtualWaiter();
    final RecordingReporter out = new RecordingReporter();

    CertsLab() {
        CAS.forEach((name, ca) -> {
            CertificateSpec spec = CertificateSet.named(name);
            files.with(pki(spec.certificateFile()), ca.certificatePem());
            files.with(pki(spec.keyFile()), ca.keyPem().orElseThrow());
        });
        CertificateSet.all().stream().filter(spec -> !spec.isCa()).forEach(spec -> {
            IssuedCertificate pair =
                    issue(spec.caName().orElseThrow(), spec.requestFor("cp-1", names(spec)));
            files.with(pki(spec.certificateFile()), pair.certificatePem());
            files.with(pki(spec.keyFile()), pair.keyPem());
        });
        KubeconfigSpec.FIRST_NODE.forEach(spec -> {
            IssuedCertificate pair = issue(
                    CertificateSet.CA,
                    LeafRequest.client(spec.userOn("cp-1"), spec.organizations()));
            files.with(
                    "/etc/kubernetes/" + spec.fileName(),
                    Kubeconfig.of(
                                    new Kubeconfig.Names("kubernetes", spec.userOn("cp-1")),
                                    new KubeconfigCluster(
                                            "https://cp.example.org:6443",
                                            ca(CertificateSet.CA).certificatePem()),
                                    KubeconfigUser.certificate(
                                            pair.certificatePem(), pair.keyPem()))
                            .render());
        });
    }

    private static SubjectNames names(CertificateSpec spec) {
        return switch (spec.names()) {
            case NONE, CA_NAME -> SubjectNames.none();
            case APISERVER, ETCD_SERVER, ETCD_PEER ->
                new SubjectNames(
                        List.of("cp-1", "added.by.hand"),
                        List.of(InetAddress.ofLiteral("192.0.2.1")));
        };
    }

    static CertificateAuthority ca(String name) {
        return CAS.get(name);
    }

    static IssuedCertificate issue(String caName, LeafRequest request) {
        return ca(caName).issue(request, KeyAlgorithm.ECDSA_P256, Validity.startingAt(INIT, YEAR));
    }

    static String pki(String name) {
        return "/etc/kubernetes/pki/" + name;
    }

    CertsNode node() {
        return node(true);
    }

    CertsNode node(boolean stackedEtcd) {
        return new CertsNode(
                KubernetesPaths.standard(),
                stackedEtcd,
                KeyAlgorithm.ECDSA_P256,
                YEAR,
                waiter.now());
    }

    NodeRenewal renewal() {
        return renewal(files);
    }

    NodeRenewal renewal(HostFiles port) {
        return new NodeRenewal(port, KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), out);
    }

    List<String> renewAll() {
        return renewal().renew(node(), ManagedCertificate.all()).stream()
                .map(ManagedCertificate::name)
                .toList();
    }

    /** The certificate of that name, wherever it is. */
    CertificateInfo certificate(String name) {
        String text = files.text(
                node().file(files, ManagedCertificate.named(name, true)).path().toString());
        return CertificateInfo.parse(
                name.endsWith(".conf")
                        ? Kubeconfig.parse(text).user().certificatePem().orElseThrow()
                        : text);
    }

    /** The key that stands beside it. */
    String key(String name) {
        if (name.endsWith(".conf")) {
            return Kubeconfig.parse(files.text("/etc/kubernetes/" + name))
                    .user()
                    .keyPem()
                    .orElseThrow();
        }
        return files.text(pki(CertificateSet.named(name).keyFile()));
    }
}
