package io.kjadm.core.certs;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.kjadm.core.init.InitLab;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.pki.KeyAlgorithm;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

class CertsNodeLoaderTest {

    private static final Path ADMIN = Path.of("/etc/kubernetes/admin.conf");

    private final CertsLab lab = new CertsLab();
    private final MemoryKubeApi api = new MemoryKubeApi();

    private CertsNodeLoader loader() {
        return new CertsNodeLoader(
                lab.files, new KubeClients(lab.files, access -> api), lab.waiter, lab.out);
    }

    private void stored(String fields) {
        api.with(new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("kubeadm-config")
                .endMetadata()
                .addToData(
                        "ClusterConfiguration",
                        "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.36.2\n"
                                + fields)
                .build());
    }

    @Test
    void theClusterSaysWhereCertificatesAreAndHowLongTheyLast() {
        stored(
                "certificatesDir: /srv/pki\ncertificateValidityPeriod: 48h0m0s\nencryptionAlgorithm: ECDSA-P384\n");
        CertsNode node = loader().find("renew", ADMIN, Optional.empty());
        assertEquals(Path.of("/srv/pki"), node.paths().certificatesDir());
        assertEquals(Duration.ofHours(48), node.validityPeriod());
        assertEquals(KeyAlgorithm.ECDSA_P384, node.algorithm());
        assertTrue(node.stackedEtcd());
    }

    @Test
    void theOperatorsDirectoryCountsMore() {
        stored("certificatesDir: /srv/pki\n");
        assertEquals(
                Path.of("/mnt/pki"),
                loader().find("renew", ADMIN, Optional.of(Path.of("/mnt/pki")))
                        .paths()
                        .certificatesDir());
    }

    @Test
    void aClusterThatDoesNotAnswerIsDoneWithoutAfterSomeSeconds() {
        api.down(Kind.UNREACHABLE);
        CertsNode node = loader().find("renew", ADMIN, Optional.empty());
        assertEquals(Path.of("/etc/kubernetes/pki"), node.paths().certificatesDir());
        assertEquals(Duration.ofHours(8760), node.validityPeriod());
        assertHasLine(
                "[renew] Error reading configuration from the Cluster. Falling back to default configuration",
                lab.out.text());
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofSeconds(6)) < 0);
    }

    @Test
    void aClusterThatRefusesExpiredCredentialsIsDoneWithoutAtOnce() {
        api.down(Kind.FORBIDDEN);
        loader().find("renew", ADMIN, Optional.empty());
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
    }

    @Test
    void withoutAKubeconfigTheNodesOwnManifestsTell() {
        lab.files.with("/etc/kubernetes/manifests/kube-apiserver.yaml", """
                apiVersion: v1
                kind: Pod
                spec:
                  containers:
                  - name: kube-apiserver
                    command:
                    - kube-apiserver
                    - --tls-cert-file=/srv/pki/apiserver.crt
                    - --etcd-servers=https://etcd.example.org:2379
                """);
        CertsNode node = loader().find("renew", Path.of("/none"), Optional.empty());
        assertEquals(Path.of("/srv/pki"), node.paths().certificatesDir());
        assertFalse(node.stackedEtcd());
    }

    @Test
    void aFileAloneCounts() {
        CertsNode node = loader().of(InitLab.load("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                certificatesDir: /srv/pki
                """).cluster());
        assertEquals(Path.of("/srv/pki"), node.paths().certificatesDir());
        assertEquals(0, api.calls().size());
    }

    @Test
    void aCommandThatOnlyReadsWaitsBriefly() {
        api.down(Kind.UNREACHABLE);
        Instant began = lab.waiter.now();
        loader().brief().find("check-expiration", ADMIN, Optional.empty());
        assertEquals(Duration.ofMillis(350), Duration.between(began, lab.waiter.now()));
        loader().find("renew", ADMIN, Optional.empty());
        assertEquals(Duration.ofMillis(5350), Duration.between(began, lab.waiter.now()));
    }
}
