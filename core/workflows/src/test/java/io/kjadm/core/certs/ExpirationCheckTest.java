package io.kjadm.core.certs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ca.Expirations;
import io.kjadm.core.etcd.ca.Expirations.Expiration;
import io.kjadm.etcd.Named;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class ExpirationCheckTest {

    private final CertsLab lab = new CertsLab();

    private Expirations look(boolean stackedEtcd) {
        return new ExpirationCheck(lab.files, lab.out).look(lab.node(stackedEtcd), List.of());
    }

    private Expiration named(String name) {
        return look(true).certificates().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyCertificateHasItsEndAndItsCa() {
        assertEquals(
                Optional.of(lab.certificate("etcd-peer").notAfter()),
                named("etcd-peer").end());
        assertEquals(Optional.of("etcd-ca"), named("etcd-peer").caName());
        assertEquals(
                Optional.of(lab.certificate("admin.conf").notAfter()),
                named("admin.conf").end());
        assertEquals(11, look(true).certificates().size());
        assertEquals(
                List.of("ca", "etcd-ca", "front-proxy-ca"),
                look(true).authorities().stream().map(Expiration::name).toList());
    }

    @Test
    void externalEtcdIsSomebodyElsesConcern() {
        assertEquals(7, look(false).certificates().size());
        assertEquals(2, look(false).authorities().size());
    }

    @Test
    void theKubeletsOwnAreShownIfTheyAreThere() {
        for (String name : List.of("kubelet-client-current.pem", "kubelet-server-current.pem")) {
            lab.files.with(
                    "/var/lib/kubelet/pki/" + name,
                    CertsLab.issue(
                                    CertificateSet.CA,
                                    LeafRequest.client("system:node:cp-1", List.of("system:nodes")))
                            .certificatePem());
            assertTrue(named(name).external());
        }
    }

    @Test
    void whatIsMissingHasNoEnd() {
        lab.files.delete(Path.of("/etc/kubernetes/super-admin.conf"));
        assertEquals(Optional.empty(), named("super-admin.conf").end());
    }

    @Test
    void aCaWithoutItsKeyIsExternalAndSoIsWhatItSigns() {
        lab.files.delete(Path.of(CertsLab.pki("ca.key")));
        assertTrue(named("apiserver").external());
        assertTrue(named("admin.conf").external());
        assertTrue(look(true).authorities().getFirst().external());
        assertEquals(false, named("etcd-server").external());
    }

    @Test
    void anInterruptedRenewalIsTold() {
        String staged = lab.files.text(CertsLab.pki("apiserver.crt"));
        lab.files.with(CertsLab.pki(".apiserver.crt.renewed"), staged);
        look(true);
        assertEquals(List.of(), lab.out.warnings());
        lab.files.with(
                CertsLab.pki("apiserver.crt"),
                lab.files.text(CertsLab.pki("front-proxy-client.crt")));
        look(true);
        assertEquals(
                "a renewal of /etc/kubernetes/pki/apiserver.crt was interrupted and its key does not fit it: finish it with 'kjadm certs renew apiserver'",
                lab.out.warnings().getFirst());
    }

    /** The table has the end only. */
    @Test
    void aCaThatHasNotBegunIsWarnedOf() {
        CertsNode now = lab.node();
        CertificateAuthority later = CertificateAuthority.create(
                "kubernetes",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(now.now().plus(Duration.ofHours(6)), Duration.ofDays(9)));
        lab.files.with(CertsLab.pki("ca.crt"), later.certificatePem());
        new ExpirationCheck(lab.files, lab.out).look(now, List.of());
        assertEquals(
                List.of("the certificate in %s %s"
                        .formatted(
                                CertsLab.pki("ca.crt"),
                                later.info().outOfDate(now.now()).orElseThrow())),
                lab.out.warnings());
    }

    @Test
    void whatCannotBeReadIsNamed() {
        lab.files.with(CertsLab.pki("apiserver.crt"), "nonsense");
        HostException refused = assertThrows(HostException.class, () -> look(true));
        assertEquals(Set.of("/etc/kubernetes/pki/apiserver.crt"), Named.files(refused.what()));
    }
}
