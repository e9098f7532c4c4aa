package io.kjadm.core.certs;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.CrashStates;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.pki.CertificateInfo;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

class NodeRenewalTest {

    private static final List<String> NAMES = List.of(
            "admin.conf",
            "apiserver",
            "apiserver-etcd-client",
            "apiserver-kubelet-client",
            "controller-manager.conf",
            "etcd-healthcheck-client",
            "etcd-peer",
            "etcd-server",
            "front-proxy-client",
            "scheduler.conf",
            "super-admin.conf");

    private final CertsLab lab = new CertsLab();

    @Test
    void allAreRenewedInKubeadmsOrderThoughTheyHaveExpired() {
        String kubelet = lab.files.text("/etc/kubernetes/kubelet.conf");
        assertEquals(NAMES, lab.renewAll());
        assertEquals(kubelet, lab.files.text("/etc/kubernetes/kubelet.conf"));
        assertHasLine("[renew] certificate for serving the Kubernetes API renewed", lab.out.text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"apiserver", "etcd-peer", "front-proxy-client", "admin.conf"})
    void whatTheOldOneSaysIsCopiedAndTheKeyIsNew(String name) {
        CertificateInfo old = lab.certificate(name);
        String oldKey = lab.key(name);
        lab.renewAll();
        CertificateInfo renewed = lab.certificate(name);
        assertEquals(old.commonName(), renewed.commonName());
        assertEquals(old.organizations(), renewed.organizations());
        assertEquals(old.names(), renewed.names());
        assertEquals(old.usages(), renewed.usages());
        assertNotEquals(old.serialNumber(), renewed.serialNumber());
        assertEquals(lab.waiter.now().minus(Duration.ofMinutes(5)), renewed.notBefore());
        assertEquals(lab.waiter.now().plus(CertsLab.YEAR), renewed.notAfter());
        assertNotEquals(oldKey, lab.key(name));
        assertTrue(renewed.matchesKey(lab.key(name)));
        CertsLab.ca(ManagedCertificate.named(name, true).caName())
                .verify(renewed.pem(), lab.waiter.now());
    }

    @Test
    void aKubeconfigKeepsItsServerAndOtherContexts() {
        String other = "contexts:\n- context: {cluster: other, user: me}\n  name: other\n";
        String path = "/etc/kubernetes/admin.conf";
        lab.files.with(path, lab.files.text(path).replace("contexts:\n", other));
        lab.renewAll();
        Kubeconfig renewed = Kubeconfig.parse(lab.files.text(path));
        assertEquals("https://cp.example.org:6443", renewed.cluster().server());
        assertEquals("kubernetes-admin", renewed.userName());
        assertEquals(
                List.of(
                        Map.of(
                                "name",
                                "other",
                                "context",
                                Map.of("cluster", "other", "user", "me")),
                        Map.of(
                                "name",
                                "kubernetes-admin@kubernetes",
                                "context",
                                Map.of("cluster", "kubernetes", "user", "kubernetes-admin"))),
                ManifestYaml.readObject(renewed.render()).get("contexts"));
        assertEquals(FileMode.OWNER_ONLY, lab.files.mode(Path.of(path)).orElseThrow());
    }

    @Test
    void keysAreTheOwnersAloneAndStayWithTheUserOfARootlessComponent() {
        Path key = Path.of(CertsLab.pki("apiserver.key"));
        Owner user = new Owner(2001, 2001);
        lab.files.own(key, user, FileMode.OWNER_ONLY);
        lab.renewAll();
        assertEquals(user, lab.files.owner(key));
        assertEquals(FileMode.OWNER_ONLY, lab.files.mode(key).orElseThrow());
        assertEquals(Owner.ROOT, lab.files.owner(Path.of(CertsLab.pki("etcd/server.key"))));
    }

    /** A monitor of etcd reads the client key by its group. */
    @Test
    void aGroupThatMayReadAKeyMayReadTheNextOne() {
        List<Path> secrets = List.of(
                Path.of(CertsLab.pki("etcd/healthcheck-client.key")),
                Path.of("/etc/kubernetes/admin.conf"));
        secrets.forEach(file -> lab.files.own(file, new Owner(0, 2001), FileMode.GROUP_READABLE));
        lab.renewAll();
        secrets.forEach(file -> {
            assertEquals(new Owner(0, 2001), lab.files.owner(file));
            assertEquals(FileMode.GROUP_READABLE, lab.files.mode(file).orElseThrow());
        });
    }

    @Test
    void whatIsMissingIsToldAndTheOthersAreRenewed() {
        lab.files.delete(Path.of("/etc/kubernetes/super-admin.conf"));
        lab.files.delete(Path.of(CertsLab.pki("apiserver.crt")));
        assertEquals(9, lab.renewAll().size());
        assertHasLine(
                "[renew] MISSING! certificate for serving the Kubernetes API", lab.out.text());
        assertHasLine(
                "[renew] MISSING! certificate embedded in the kubeconfig file for the super-admin",
                lab.out.text());
    }

    @Test
    void withAnExternalCaItsCertificatesStayAsTheyAre() {
        lab.files.delete(Path.of(CertsLab.pki("ca.key")));
        String before = lab.files.text(CertsLab.pki("apiserver.crt"));
        List<String> renewed = lab.renewAll();
        assertEquals(
                List.of(
                        "apiserver-etcd-client",
                        "etcd-healthcheck-client",
                        "etcd-peer",
                        "etcd-server",
                        "front-proxy-client"),
                renewed);
        assertEquals(before, lab.files.text(CertsLab.pki("apiserver.crt")));
        assertHasLine(
                "[renew] Detected external ca, certificate for serving the Kubernetes API can't be renewed",
                lab.out.text());
    }

    @Test
    void anExternalCaWithoutAllItSignsIsRefused() {
        lab.files.delete(Path.of(CertsLab.pki("ca.key")));
        lab.files.delete(Path.of(CertsLab.pki("apiserver-kubelet-client.key")));
        refusedWithoutAnyChange("apiserver-kubelet-client.key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ca.crt", "front-proxy-ca.key", "etcd/server.crt"})
    void aFileThatCannotBeReadRefusesAllBeforeTheFirstIsRenewed(String file) {
        lab.files.with(CertsLab.pki(file), "nonsense");
        refusedWithoutAnyChange("");
    }

    @Test
    void aKeyOfAnotherCaIsRefused() {
        lab.files.with(CertsLab.pki("ca.key"), lab.files.text(CertsLab.pki("etcd/ca.key")));
        refusedWithoutAnyChange("does not belong");
    }

    @Test
    void aKubeconfigWithoutEmbeddedCertificateIsRefused() {
        lab.files.with(
                "/etc/kubernetes/scheduler.conf",
                lab.files
                        .text("/etc/kubernetes/scheduler.conf")
                        .replaceAll("client-certificate-data: .*", "client-certificate: /x.crt"));
        refusedWithoutAnyChange("no client certificate is embedded");
    }

    private void refusedWithoutAnyChange(String why) {
        List<String> before = contents();
        HostException refused = assertThrows(HostException.class, lab::renewAll);
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
        assertEquals(before, contents());
    }

    private List<String> contents() {
        return lab.files.files().stream()
                .map(file -> file + ": " + lab.files.text(file.toString()))
                .toList();
    }

    @Test
    void aCaThatEndsSoonIsToldOnce() {
        CertsNode node = lab.node();
        CertsNode longer = new CertsNode(
                node.paths(), true, node.algorithm(), Duration.ofDays(9999), node.now());
        lab.renewal().renew(longer, ManagedCertificate.all());
        assertEquals(3, lab.out.warnings().size());
    }

    @Test
    void withExternalEtcdItsCertificatesAreNotRenewed() {
        assertEquals(7, ManagedCertificate.of(false).size());
        assertThrows(UsageException.class, () -> ManagedCertificate.named("etcd-server", false));
        assertThrows(UsageException.class, () -> ManagedCertificate.named("kubelet.conf", true));
    }

    @Test
    void aDryRunLeavesTheDiskAsItIsAndShowsNoKey() {
        List<String> before = contents();
        lab.renewal(new OverlayFiles(lab.files, lab.out))
                .renew(lab.node(), ManagedCertificate.all());
        assertEquals(before, contents());
        assertHasLine(
                "[dryrun] Would delete \"/etc/kubernetes/pki/.apiserver.crt.renewed\"",
                lab.out.text());
        assertEquals(Set.of("CERTIFICATE"), Named.pemBlocks(lab.out.text()));
    }

    /**
     * The power goes behind each change in turn. Then every certificate fits its key, but for one at
     * most, whose exchange the next renewal finishes, though it is of another certificate.
     */
    @Tag("power-cut")
    @Test
    void afterAPowerCutAnywhereTheNextRenewalFindsOrMakesWholePairs() {
        Owner user = new Owner(2001, 2001);
        List<Path> owned = List.of(
                Path.of(CertsLab.pki("apiserver.key")),
                Path.of("/etc/kubernetes/controller-manager.conf"));
        int steps = 0;
        for (PowerCut.Socket socket : PowerCut.moments()) {
            CertsLab cut = new CertsLab();
            owned.forEach(file -> cut.files.own(file, user, FileMode.OWNER_ONLY));
            if (!isCut(cut, socket)) {
                break;
            }
            steps = socket.step();
            assertTrue(broken(cut).size() <= 1, "%s: %s".formatted(socket, broken(cut)));
            cut.renewal()
                    .renew(cut.node(), List.of(ManagedCertificate.named("scheduler.conf", true)));
            assertEquals(List.of(), broken(cut), socket::toString);
            owned.forEach(file -> assertEquals(user, cut.files.owner(file), socket::toString));
            assertTrue(
                    cut.files.files().stream()
                            .filter(file -> !CrashStates.temporary(file))
                            .noneMatch(file -> file.toString().contains(".renewed")),
                    socket::toString);
        }
        assertTrue(steps > 7 * 4, "only %d steps".formatted(steps));
    }

    private static boolean isCut(CertsLab lab, PowerCut.Socket socket) {
        try {
            lab.renewal(socket.plug(HostFiles.class, lab.files))
                    .renew(lab.node(), ManagedCertificate.all());
            return false;
        } catch (PowerCut cut) {
            assertTrue(cut.at(socket));
            return true;
        }
    }

    private static List<String> broken(CertsLab lab) {
        List<String> broken = new ArrayList<>();
        for (String name : NAMES) {
            if (!lab.certificate(name).matchesKey(lab.key(name))) {
                broken.add(name);
            }
        }
        return broken;
    }

    @Test
    void whatTheOperatorPutInPlaceAfterAnInterruptionStays() {
        String certificate = lab.files.text(CertsLab.pki("apiserver.crt"));
        lab.files.with(
                CertsLab.pki(".apiserver.crt.renewed"),
                lab.files.text(CertsLab.pki("front-proxy-client.crt")));
        lab.renewal().renew(lab.node(), List.of());
        assertEquals(certificate, lab.files.text(CertsLab.pki("apiserver.crt")));
        assertFalse(lab.files.exists(Path.of(CertsLab.pki(".apiserver.crt.renewed"))));
    }
}
