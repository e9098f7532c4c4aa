package io.kjadm.core.certs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.certs.UserKubeconfig.User;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.init.InitLab;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Files for CAs that sign elsewhere, and kubeconfigs for users. */
class NewFilesTest {

    private static final KeyPairPool KEYS = KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256);

    private final InitLab lab = new InitLab();
    private final ControlPlaneNode node =
            lab.start(InitLab.load(InitLab.CP_1 + """
            controlPlaneEndpoint: cp.example.org
            encryptionAlgorithm: ECDSA-P256
            """), false).node();

    private void generate() {
        new SigningRequestFiles(lab.files, KEYS, lab.out).write(node);
    }

    @Test
    void everyLeafHasAKeyAndARequestAndEveryKubeconfigItsKey() {
        generate();
        for (String base : List.of(
                "apiserver",
                "apiserver-kubelet-client",
                "apiserver-etcd-client",
                "front-proxy-client",
                "etcd/server",
                "etcd/peer",
                "etcd/healthcheck-client")) {
            assertTrue(lab.files
                    .text(CertsLab.pki(base + ".csr"))
                    .startsWith("-----BEGIN CERTIFICATE REQUEST"));
            assertEquals(
                    FileMode.OWNER_ONLY,
                    lab.files.mode(Path.of(CertsLab.pki(base + ".key"))).orElseThrow());
            assertFalse(lab.files.exists(Path.of(CertsLab.pki(base + ".crt"))));
        }
        for (String name :
                List.of("admin", "super-admin", "kubelet", "controller-manager", "scheduler")) {
            Kubeconfig made = Kubeconfig.parse(lab.files.text("/etc/kubernetes/" + name + ".conf"));
            assertTrue(made.user().keyPem().isPresent());
            assertEquals(Optional.empty(), made.user().certificatePem());
            assertEquals(Optional.empty(), made.cluster().caPem());
            assertTrue(lab.files.exists(Path.of("/etc/kubernetes/" + name + ".conf.csr")));
        }
        assertEquals("https://cp.example.org:6443", server("kubelet.conf"));
        assertEquals("https://192.0.2.10:6443", server("scheduler.conf"));
        assertFalse(lab.files.exists(Path.of(CertsLab.pki("ca.key"))));
        assertFalse(lab.files.exists(Path.of(CertsLab.pki("sa.key"))));
    }

    private String server(String file) {
        return Kubeconfig.parse(lab.files.text("/etc/kubernetes/" + file))
                .cluster()
                .server();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pki/apiserver.key",
                "pki/etcd/peer.csr",
                "scheduler.conf",
                "admin.conf.csr",
                "kubelet.conf.key"
            })
    void anyFileThatExistsIsRefusedBeforeAnythingIsWritten(String file) {
        lab.files.with("/etc/kubernetes/" + file, "mine");
        List<Path> before = lab.files.files();
        HostException refused = assertThrows(HostException.class, this::generate);
        assertTrue(refused.why().contains(file));
        assertEquals(before, lab.files.files());
    }

    private void withCa() {
        lab.files.with(CertsLab.pki("ca.crt"), CertsLab.ca("ca").certificatePem());
        lab.files.with(CertsLab.pki("ca.key"), CertsLab.ca("ca").keyPem().orElseThrow());
    }

    private Kubeconfig user(Optional<String> token, Duration validity) {
        return Kubeconfig.parse(new UserKubeconfig(lab.files, KEYS, lab.out)
                .make(node, new User("alice", List.of("devs", "ops"), token), validity));
    }

    @Test
    void aUserGetsACertificateOfTheClustersCa() {
        withCa();
        Kubeconfig made = user(Optional.empty(), Duration.ofHours(24));
        CertificateInfo certificate =
                CertificateInfo.parse(made.user().certificatePem().orElseThrow());
        assertEquals("alice", certificate.commonName());
        assertEquals(Set.of("devs", "ops"), Set.copyOf(certificate.organizations()));
        assertEquals(List.of(ExtendedUsage.CLIENT_AUTH), certificate.usages());
        assertEquals(node.startedAt().plus(Duration.ofHours(24)), certificate.notAfter());
        assertTrue(certificate.matchesKey(made.user().keyPem().orElseThrow()));
        assertEquals("https://cp.example.org:6443", made.cluster().server());
        assertEquals(List.of(), lab.out.warnings());
    }

    @Test
    void orATokenInItsPlace() {
        withCa();
        Kubeconfig made = user(Optional.of("secret"), Duration.ofHours(24));
        assertEquals(Optional.of("secret"), made.user().token());
        assertEquals(Optional.empty(), made.user().certificatePem());
        assertEquals("User[alice]", new User("alice", List.of(), Optional.of("secret")).toString());
    }

    @Test
    void longerThanAYearIsWarnedAboutAndNoTimeAtAllRefused() {
        withCa();
        user(Optional.empty(), Duration.ofHours(8761));
        assertEquals(1, lab.out.warnings().size());
        assertThrows(UsageException.class, () -> user(Optional.empty(), Duration.ZERO));
    }

    @Test
    void withAnExternalCaItIsRefusedWithAdviceEvenForAToken() {
        withCa();
        lab.files.delete(Path.of(CertsLab.pki("ca.key")));
        HostException refused = assertThrows(
                HostException.class, () -> user(Optional.of("secret"), Duration.ofHours(24)));
        assertEquals("the cluster's CA is external: its key is not on this node", refused.why());
        assertFalse(refused.next().isEmpty());
    }

    @Test
    void nobodyIsNoUser() {
        assertThrows(UsageException.class, () -> new User("", List.of(), Optional.empty()));
    }
}
