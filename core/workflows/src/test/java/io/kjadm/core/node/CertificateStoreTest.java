package io.kjadm.core.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.init.InitLab;
import io.kjadm.core.pki.CertificateMaker.CheckLevel;
import io.kjadm.core.pki.CertificateReason;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.ServiceAccountKeys;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is there is taken after a look at it; what is missing is made. */
class CertificateStoreTest {

    private static final String PKI = "/etc/kubernetes/pki/";

    private final InitLab lab = new InitLab();
    private final CertificateStore store =
            new CertificateStore(lab.files, KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), lab.out);
    private final ControlPlaneNode node = node("cp-1", lab.waiter.now());

    private ControlPlaneNode node(String name, Instant startedAt) {
        ControlPlaneNode node =
                lab.start(InitLab.load("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.10}
                nodeRegistration: {name: %s, criSocket: "unix:///run/c.sock"}
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                encryptionAlgorithm: ECDSA-P256
                """.formatted(name)), false).node();
        return new ControlPlaneNode(
                node.registration(),
                node.endpoint(),
                node.cluster(),
                node.kubelet(),
                node.places(),
                node.timeouts(),
                startedAt);
    }

    private void provide(ControlPlaneNode on, CheckLevel level, String... names) {
        for (String name : names) {
            store.provide(on, CertificateSet.named(name), level);
        }
    }

    private HostException refused(ControlPlaneNode on, CheckLevel level, String name) {
        Map<Path, String> before = lab.contents();
        HostException refused = assertThrows(HostException.class, () -> provide(on, level, name));
        assertEquals(before, lab.contents());
        return refused;
    }

    private void copy(String from, String to) {
        lab.files.with(PKI + to, lab.files.text(PKI + from));
    }

    private void all(ControlPlaneNode on) {
        CertificateSet.all().forEach(spec -> store.provide(on, spec, CheckLevel.CHAIN_AND_KEY));
    }

    @Test
    void whatIsThereStays() {
        all(node);
        Map<Path, String> first = lab.contents();
        CertificateSet.all()
                .forEach(spec -> store.provide(node, spec, CheckLevel.CHAIN_KEY_AND_NAMES));
        assertEquals(first, lab.contents());
    }

    @Test
    void aLeafOfAnotherCaIsRefusedEverywhere() {
        all(node);
        copy("etcd/server.crt", "apiserver.crt");
        refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.API_SERVER);
        refused(node, CheckLevel.CHAIN_KEY_AND_NAMES, CertificateSet.API_SERVER);
    }

    /** Its text was shown as a failure of this program before. */
    @Test
    void aKeyThatCannotBeReadIsRefusedByItsName() {
        all(node);
        lab.files.with(PKI + "apiserver.key", "no key");
        HostException refused = refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.API_SERVER);
        assertTrue(refused.what().contains(PKI + "apiserver.key"), refused.what());
    }

    /** While the CA of etcd is rotated, members show certificates of either. */
    @Test
    void whatTheSecondCaOfAFileHasSignedIsTaken() {
        all(node);
        String former = lab.files.text(PKI + "etcd/ca.crt");
        String server = lab.files.text(PKI + "etcd/server.crt");
        lab.files.delete(Path.of(PKI + "etcd/ca.crt"));
        lab.files.delete(Path.of(PKI + "etcd/ca.key"));
        provide(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.ETCD_CA);
        refused(node, CheckLevel.CHAIN_KEY_AND_NAMES, CertificateSet.ETCD_SERVER);
        lab.files.with(PKI + "etcd/ca.crt", lab.files.text(PKI + "etcd/ca.crt") + former);
        provide(node, CheckLevel.CHAIN_KEY_AND_NAMES, CertificateSet.ETCD_SERVER);
        assertEquals(server, lab.files.text(PKI + "etcd/server.crt"));
    }

    @Test
    void aKeyThatDoesNotFitIsRefusedByInitAndJoin() {
        all(node);
        copy("apiserver-kubelet-client.key", "apiserver.key");
        for (CheckLevel level : CheckLevel.values()) {
            assertEquals(
                    "the public keys differ",
                    refused(node, level, CertificateSet.API_SERVER).why());
        }
        lab.files.delete(Path.of(PKI + "apiserver.key"));
        for (CheckLevel level : CheckLevel.values()) {
            assertEquals(
                    "its certificate is there",
                    refused(node, level, CertificateSet.API_SERVER).why());
        }
    }

    @Test
    void namesOfAnotherNodeAreNoticedByAJoin() {
        all(node);
        ControlPlaneNode other = node("cp-2", node.startedAt());
        assertEquals(List.of(), lab.out.warnings());
        provide(other, CheckLevel.CHAIN_AND_KEY, CertificateSet.ETCD_PEER);
        assertEquals(1, lab.out.warnings().size());
        assertEquals(Set.of("cp-2"), Named.members(lab.out.warnings().getFirst()));
        assertEquals(
                Set.of("cp-2"),
                Named.members(
                        refused(other, CheckLevel.CHAIN_KEY_AND_NAMES, CertificateSet.ETCD_PEER)
                                .why()));
    }

    @Test
    void aLeafInPlaceOfACaIsRefusedAndSignsNothing() {
        all(node);
        copy("apiserver.crt", "ca.crt");
        copy("apiserver.key", "ca.key");
        for (CheckLevel level : CheckLevel.values()) {
            assertEquals(
                    Optional.of(CertificateReason.UNFIT_CA),
                    refused(node, level, CertificateSet.CA).reason());
        }
        lab.files.delete(Path.of(PKI + "apiserver.crt"));
        lab.files.delete(Path.of(PKI + "apiserver.key"));
        assertEquals(
                Optional.of(CertificateReason.UNFIT_CA),
                refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.API_SERVER)
                        .reason());
    }

    @Test
    void aCaWithAKeyThatCanBeBrokenIsRefusedAndSignsNothing() {
        putRsaCa(512);
        refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA);
        assertEquals(
                "its RSA key of 512 bits can be broken",
                refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.API_SERVER)
                        .why());
    }

    @Test
    void aCaWithAnOldKeyIsUsedWithAWarning() {
        putRsaCa(1024);
        provide(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA, CertificateSet.API_SERVER);
        assertEquals(1, lab.out.warnings().size());
        assertEquals(
                "certificate authority ca has an RSA key of 1024 bits; less than 2048 is too weak",
                lab.out.warnings().getFirst());
    }

    private void putRsaCa(int bits) {
        CertificateAuthority ca = WeakAuthority.ofBits(bits);
        lab.files.with(PKI + "ca.crt", ca.certificatePem());
        lab.files.with(PKI + "ca.key", ca.keyPem().orElseThrow());
    }

    @Test
    void aCaWithAnotherKeyIsRefused() {
        all(node);
        copy("etcd/ca.key", "ca.key");
        assertEquals(
                Set.of("/etc/kubernetes/pki/ca.key"),
                Named.files(refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA)
                        .what()));
    }

    /** The file that is not good is the one that is named. */
    @Test
    void aCaWhoseKeyCannotBeReadIsRefusedForItsKey() {
        all(node);
        lab.files.with(PKI + "ca.key", "hello");
        assertEquals(
                Set.of("/etc/kubernetes/pki/ca.key"),
                Named.files(refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA)
                        .what()));
    }

    @Test
    void aKeyWithoutItsCertificateIsRefusedSinceANewOneWouldNotFit() {
        all(node);
        lab.files.delete(Path.of(PKI + "ca.crt"));
        assertEquals(
                Optional.of(CertificateReason.KEY_WITHOUT_CERTIFICATE),
                refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA).reason());
        lab.files.delete(Path.of(PKI + "front-proxy-client.crt"));
        refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.FRONT_PROXY_CLIENT);
    }

    @Test
    void withoutTheCasKeyAMissingLeafCannotBeMade() {
        provide(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA);
        lab.files.delete(Path.of(PKI + "ca.key"));
        assertTrue(store.isExternal(node, CertificateSet.CA));
        assertEquals(
                Optional.of(CommonReason.CA_CANNOT_SIGN),
                refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.API_SERVER)
                        .reason());
        provide(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA);
    }

    @Test
    void withoutACaNothingIsMade() {
        assertEquals(
                Set.of("/etc/kubernetes/pki/ca.crt"),
                Named.files(refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.API_SERVER)
                        .what()));
        assertFalse(store.isExternal(node, CertificateSet.CA));
    }

    @Test
    void textThatIsNoCertificateIsRefused() {
        lab.files.with(PKI + "ca.crt", "hello");
        refused(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA);
        assertFalse(store.isExternal(node, CertificateSet.CA));
    }

    @Test
    void anExpiredLeafIsRefused() {
        all(node);
        ControlPlaneNode later = node("cp-1", node.startedAt().plus(Duration.ofDays(500)));
        assertEquals(
                Set.of("/etc/kubernetes/pki/apiserver.crt"),
                Named.files(refused(later, CheckLevel.CHAIN_AND_KEY, CertificateSet.API_SERVER)
                        .what()));
    }

    @Test
    void anOutOfDateCaIsAWarning() {
        provide(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA);
        provide(
                node("cp-1", node.startedAt().plus(Duration.ofDays(4000))),
                CheckLevel.CHAIN_AND_KEY,
                CertificateSet.CA);
        assertEquals(1, lab.out.warnings().size());
        assertTrue(lab.out.warnings().getFirst().startsWith("certificate ca expired at "));
    }

    /** Also where the phase of the CA is not run. */
    @Test
    void aCaOfTheFutureIsToldOfOnceBySeveralCertificates() {
        provide(
                node("cp-1", node.startedAt().plus(Duration.ofHours(6))),
                CheckLevel.CHAIN_AND_KEY,
                CertificateSet.CA);
        provide(
                node,
                CheckLevel.CHAIN_AND_KEY,
                CertificateSet.API_SERVER,
                CertificateSet.API_SERVER_KUBELET_CLIENT);
        assertEquals(1, lab.out.warnings().size(), lab.out.warnings()::toString);
        CertificateInfo ca = CertificateInfo.parse(lab.files.text(PKI + "ca.crt"));
        assertEquals(
                "certificate ca " + ca.outOfDate(node.startedAt()).orElseThrow(),
                lab.out.warnings().getFirst());
    }

    @Test
    void aCertificateThatOutlivesItsCaIsToldOf() {
        provide(node, CheckLevel.CHAIN_AND_KEY, CertificateSet.CA);
        provide(
                node("cp-1", node.startedAt().plus(Duration.ofDays(3500))),
                CheckLevel.CHAIN_AND_KEY,
                CertificateSet.API_SERVER,
                CertificateSet.API_SERVER_KUBELET_CLIENT);
        assertEquals(1, lab.out.warnings().size(), lab.out.warnings()::toString);
        CertificateInfo ca = CertificateInfo.parse(lab.files.text(PKI + "ca.crt"));
        assertTrue(lab.out.warnings().getFirst().contains(ca.notAfter().toString()));
    }

    @Test
    void theServiceAccountKeyIsKeptAndItsPublicHalfRestored() {
        store.provideServiceAccountKeys(node);
        String privateKey = lab.files.text(PKI + "sa.key");
        String publicKey = lab.files.text(PKI + "sa.pub");
        lab.files.delete(Path.of(PKI + "sa.pub"));
        store.provideServiceAccountKeys(node);
        assertEquals(privateKey, lab.files.text(PKI + "sa.key"));
        assertEquals(publicKey, lab.files.text(PKI + "sa.pub"));
        lab.files.with(PKI + "sa.key", "hello");
        assertThrows(HostException.class, () -> store.provideServiceAccountKeys(node));
    }

    @Test
    void aServiceAccountKeyOfAnotherTypeThanItsPublicHalfIsRefused() {
        store.provideServiceAccountKeys(node);
        lab.files.with(
                PKI + "sa.pub",
                ServiceAccountKeys.generate(KeyAlgorithm.RSA_2048).publicKeyPem());
        HostException refused =
                assertThrows(HostException.class, () -> store.provideServiceAccountKeys(node));
        assertEquals(
                Set.of("/etc/kubernetes/pki/sa.pub"),
                Named.files(refused.what()),
                refused.getMessage());
    }

    @Test
    void publicKeysWithoutTheOneOfTheServiceAccountKeyAreWarnedOf() {
        store.provideServiceAccountKeys(node);
        String own = lab.files.text(PKI + "sa.pub");
        String other = ServiceAccountKeys.generate(KeyAlgorithm.ECDSA_P256).publicKeyPem();
        lab.files.with(PKI + "sa.pub", other + own);
        store.provideServiceAccountKeys(node);
        assertEquals(List.of(), lab.out.warnings());
        lab.files.with(PKI + "sa.pub", other);
        store.provideServiceAccountKeys(node);
        assertEquals(1, lab.out.warnings().size());
        assertEquals(
                Set.of(PKI + "sa.key", PKI + "sa.pub"),
                Named.files(lab.out.warnings().getFirst()));
        assertEquals(other, lab.files.text(PKI + "sa.pub"));
    }
}
