package io.kjadm.pki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

class CertificateSetTest {

    @Test
    void theOrderIsThatOfThePhases() {
        assertEquals(
                List.of(
                        "ca",
                        "apiserver",
                        "apiserver-kubelet-client",
                        "front-proxy-ca",
                        "front-proxy-client",
                        "etcd-ca",
                        "etcd-server",
                        "etcd-peer",
                        "etcd-healthcheck-client",
                        "apiserver-etcd-client"),
                names(CertificateSet.all()));
    }

    @Test
    void everyCaComesBeforeWhatItSigns() {
        List<String> order = names(CertificateSet.all());
        for (CertificateSpec spec : CertificateSet.all()) {
            spec.caName()
                    .ifPresent(ca -> assertTrue(
                            order.indexOf(ca) < order.indexOf(spec.name()), spec.name()));
        }
    }

    @Test
    void aCaKnowsItsCertificates() {
        assertEquals(List.of("ca", "front-proxy-ca", "etcd-ca"), names(CertificateSet.cas()));
        assertEquals(
                List.of("apiserver", "apiserver-kubelet-client"),
                names(CertificateSet.signedBy(CertificateSet.CA)));
        assertEquals(
                List.of(
                        "etcd-server",
                        "etcd-peer",
                        "etcd-healthcheck-client",
                        "apiserver-etcd-client"),
                names(CertificateSet.signedBy(CertificateSet.ETCD_CA)));
    }

    @Test
    void filesLieBelowTheCertificatesDirectory() {
        CertificateSpec server = CertificateSet.named("etcd-server");

        assertEquals("etcd/server.crt", server.certificateFile());
        assertEquals("etcd/server.key", server.keyFile());
        assertEquals(
                "etcd/healthcheck-client",
                CertificateSet.named("etcd-healthcheck-client").fileBase());
        assertEquals(
                "apiserver-etcd-client",
                CertificateSet.named("apiserver-etcd-client").fileBase());
    }

    @Test
    void etcdMembersAreNamedAfterTheirNode() {
        assertEquals("cp-1", CertificateSet.named("etcd-peer").commonNameOn("cp-1"));
        assertEquals("kube-apiserver", CertificateSet.named("apiserver").commonNameOn("cp-1"));
    }

    @Test
    void whatIsNotInTheSetIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> CertificateSet.named("sa"));
        assertThrows(
                IllegalStateException.class,
                () -> CertificateSet.named("ca").requestFor("cp-1", SubjectNames.none()));
    }

    @Test
    void keyAlgorithmsAreFoundByTheirConfiguredName() {
        for (KeyAlgorithm algorithm : KeyAlgorithm.values()) {
            assertEquals(algorithm, KeyAlgorithm.fromName(algorithm.configName()));
        }
        assertEquals(
                List.of("RSA-2048", "RSA-3072", "RSA-4096", "ECDSA-P256", "ECDSA-P384"),
                Stream.of(KeyAlgorithm.values()).map(KeyAlgorithm::configName).toList());
        for (String other : List.of("", "RSA", "rsa-2048", "ECDSA-P521")) {
            assertThrows(PkiException.class, () -> KeyAlgorithm.fromName(other));
        }
    }

    private static List<String> names(List<CertificateSpec> specs) {
        return specs.stream().map(CertificateSpec::name).toList();
    }
}
