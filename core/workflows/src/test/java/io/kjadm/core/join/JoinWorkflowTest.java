package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.manifests.CertificatesSecret;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SealedFile;
import io.kjadm.pki.ServiceAccountKeys;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** A second control-plane node joins a cluster in memory. */
class JoinWorkflowTest {

    private static final String DOWNLOAD = "control-plane-prepare/download-certs";
    private static final Path PKI = Path.of("/etc/kubernetes/pki");

    private final JoinLab lab = new JoinLab();

    /** The kubelet that cannot be had in memory: it takes over what it was given. */
    private void kubeletBootstraps() {
        lab.waiter.eachTime(() -> lab.files
                .read(Path.of("/etc/kubernetes/bootstrap-kubelet.conf"))
                .ifPresent(text -> lab.files.with("/etc/kubernetes/kubelet.conf", text)));
    }

    private JoinRun join(boolean controlPlane) {
        kubeletBootstraps();
        return lab.workflow()
                .run(
                        lab.start(lab.config(controlPlane)),
                        Selection.allBut(List.of("preflight")),
                        lab.out);
    }

    @Test
    void aControlPlaneNodeHasTheSharedCertificatesAndItsOwn() {
        join(true);
        for (String shared : List.of(
                "ca.crt", "ca.key", "sa.key", "sa.pub", "front-proxy-ca.key", "etcd/ca.key")) {
            assertEquals(
                    lab.first.files.text(PKI + "/" + shared),
                    lab.files.text(PKI + "/" + shared),
                    shared);
        }
        assertFalse(lab.first
                .files
                .text(PKI + "/apiserver.crt")
                .equals(lab.files.text(PKI + "/apiserver.crt")));
        assertTrue(lab.own().orElseThrow().voter());
        Node node = lab.api.get(Node.class, "", "cp-2").orElseThrow();
        assertTrue(node.getMetadata()
                .getLabels()
                .containsKey("node-role.kubernetes.io/control-plane"));
        assertFalse(
                lab.files.exists(Path.of("/etc/kubernetes/bootstrap-kubelet.conf")),
                "the token is gone");
        assertFalse(lab.files.exists(Path.of("/etc/kubernetes/super-admin.conf")));
    }

    /** cluster-info is signed with the token before each API server has heard of it. */
    @Test
    void aTokenThatAnApiServerDoesNotKnowYetIsTriedAgain() {
        lab.api.answering(2).failing(3, Kind.FORBIDDEN);
        join(true);
        assertTrue(lab.own().orElseThrow().voter());
    }

    @Test
    void aTokenThatNoApiServerTakesIsNamedWithinTheLimit() {
        lab.api.answering(2).failing(100_000, Kind.FORBIDDEN);
        var failure = assertThrows(PhaseFailure.class, () -> join(true));
        assertEquals(
                "the last answer was: made to fail as FORBIDDEN",
                assertInstanceOf(ClusterException.class, failure.getCause()).why());
        assertEquals(
                lab.config(true).timeouts().kubernetesApiCall().toSeconds(),
                lab.waiter.elapsed().toSeconds(),
                1.0);
        assertTrue(lab.own().isEmpty());
    }

    @Test
    void aWorkerHasNoPartOfTheControlPlane() {
        join(false);
        assertEquals(List.of(), lab.files.list(JoinLab.MANIFESTS));
        assertFalse(lab.files.exists(PKI.resolve("ca.key")));
        assertTrue(lab.files.exists(PKI.resolve("ca.crt")));
        assertEquals(List.of(), lab.etcd.changes());
        assertFalse(lab.files.exists(Path.of("/etc/kubernetes/admin.conf")));
    }

    @Test
    void aNameThatIsTakenIsRefusedBeforeAnythingIsWritten() {
        Node taken = lab.api
                .get(Node.class, "", "cp-2")
                .orElseThrow()
                .edit()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
        lab.api.replace(taken);
        Map<Path, String> before = lab.contents();
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> join(false));
        assertEquals("kubelet-start", failure.phase());
        assertEquals(before, lab.contents());
    }

    @Test
    void aDryRunLeavesDiskRuntimeAndClusterUntouched() {
        Map<Path, String> before = lab.contents();
        int writes = lab.api.writes().size();
        lab.dryWorkflow()
                .run(lab.startUntracked(), Selection.allBut(List.of("preflight")), lab.out);
        assertEquals(before, lab.contents());
        assertEquals(writes, lab.api.writes().size());
        assertEquals(List.of(), lab.etcd.changes());
        assertTrue(
                lab.runner.commands().stream()
                        .allMatch(command -> command.startsWith("systemctl is-")),
                lab.runner.commands().toString());
        assertTrue(
                lab.out.in("dryrun").stream()
                        .anyMatch(line ->
                                line.startsWith("Would add etcd member https://192.0.2.12:2380")),
                lab.out.text());
        assertEquals(Set.of("CERTIFICATE", "PUBLIC KEY"), Named.pemBlocks(lab.out.text()));
        assertFalse(lab.out.text().contains(JoinLab.TOKEN));
    }

    // ---- certificates by download

    private KjadmException refusedDownload() {
        return refusedDownload(lab.start());
    }

    private KjadmException refusedDownload(JoinRun start) {
        Map<Path, String> before = lab.contents();
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> lab.phases(start, DOWNLOAD));
        assertEquals(before, lab.contents(), "all or nothing");
        return (KjadmException) failure.getCause();
    }

    private void change(Consumer<Map<String, String>> change) {
        Secret secret = lab.api
                .get(Secret.class, "kube-system", CertificatesSecret.NAME)
                .orElseThrow();
        change.accept(secret.getData());
        lab.api.replace(secret);
    }

    private String sealed(String content) {
        CertificateKey key = CertificateKey.parse(lab.cluster.certificateKey().orElseThrow());
        return Base64.getEncoder()
                .encodeToString(SealedFile.seal(content.getBytes(), key).bytes());
    }

    @Test
    void certificatesThatExpiredAreUploadedAgain() {
        lab.api.delete(Secret.class, "kube-system", CertificatesSecret.NAME);
        assertEquals(
                "upload them again with 'kjadm init phase upload-certs --upload-certs' on a control-plane node, and join with the --certificate-key that it prints",
                refusedDownload().next());
    }

    @Test
    void anotherKeyDoesNotOpenThem() {
        JoinRun run = lab.start(lab.config(true)
                .withControlPlane(lab.config(true)
                        .controlPlane()
                        .map(part -> part.withCertificateKey(Optional.of("ab".repeat(32))))));
        assertEquals(
                Set.of("--certificate-key"), Named.flags(refusedDownload(run).next()));
    }

    @Test
    void oneThatLacksOrWasDamagedKeepsTheOthersFromBeingWritten() {
        change(data -> data.remove("front-proxy-ca.key"));
        assertEquals(Set.of("front-proxy-ca.key"), Named.files(refusedDownload().what()));
        change(data -> data.put("front-proxy-ca.key", "AAAA"));
        assertEquals(Set.of("front-proxy-ca.key"), Named.files(refusedDownload().why()));
    }

    @Test
    void whatIsNeitherKeyNorCertificateIsRefused() {
        change(data -> data.put("ca.crt", sealed("hello")));
        assertEquals("ca.crt", refusedDownload().why());
    }

    private void sharedByAnotherCluster() {
        CertificateAuthority other = CertificateAuthority.create(
                "kubernetes",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(lab.waiter.now(), Duration.ofDays(90)));
        copy(SHARED);
        for (String name : SHARED) {
            lab.files.with(
                    PKI + "/" + name,
                    name.endsWith(".crt")
                            ? other.certificatePem()
                            : name.endsWith(".key")
                                    ? other.keyPem().orElseThrow()
                                    : lab.files.text(PKI + "/" + name));
        }
    }

    /** What is kept here of a cluster that was reset, for one, may be the last copy. */
    @Test
    void aKeyOfAnotherClusterIsNotOverwritten() {
        sharedByAnotherCluster();
        KjadmException refused = refusedDownload();
        assertEquals(Optional.of(CommonReason.EXISTS), refused.reason());
        assertEquals(
                Set.of(
                        PKI + "/ca.key",
                        PKI + "/front-proxy-ca.key",
                        PKI + "/etcd/ca.key",
                        PKI + "/sa.key"),
                Named.files(refused.what()));
    }

    /** The run that began the join was killed before the first file was written. */
    @Test
    void filesOfAnotherClusterAreNotTakenForThoseOfAnInterruptedDownload() {
        sharedByAnotherCluster();
        lab.discovered().begin();
        assertTrue(lab.start().resumed());
        assertEquals(Optional.of(CommonReason.EXISTS), refusedDownload().reason());
    }

    @Test
    void filesOfThisClusterMayBeThereAlready() {
        copy(SHARED);
        lab.phases(lab.start(), DOWNLOAD);
    }

    // ---- certificates by hand

    private void copy(Set<String> names) {
        names.forEach(
                name -> lab.files.with(PKI + "/" + name, lab.first.files.text(PKI + "/" + name)));
    }

    private static final Set<String> SHARED = Set.of(
            "ca.crt",
            "ca.key",
            "front-proxy-ca.crt",
            "front-proxy-ca.key",
            "etcd/ca.crt",
            "etcd/ca.key",
            "sa.key",
            "sa.pub");

    private UsageException refusedCopy(JoinRun run) {
        return assertThrows(
                UsageException.class,
                () -> new ProvidedCertificates(lab.files).check(run.node(), lab.out));
    }

    @Test
    void copiedCertificatesAreAccepted() {
        copy(SHARED);
        new ProvidedCertificates(lab.files).check(lab.discovered().node(), lab.out);
        assertEquals(List.of(), lab.out.warnings());
    }

    @Test
    void everythingThatIsMissingIsNamedAtOnce() {
        UsageException refused = refusedCopy(lab.discovered());
        for (String name :
                List.of("pki/ca.crt", "front-proxy-ca.crt", "etcd/ca.crt", "sa.key", "sa.pub")) {
            assertTrue(refused.why().contains(name), refused.why());
        }
        assertEquals(Set.of("--certificate-key", "--upload-certs"), Named.flags(refused.next()));
    }

    @Test
    void aCaWithoutItsKeyIsAWarning() {
        copy(SHARED);
        lab.files.delete(PKI.resolve("ca.key"));
        new ProvidedCertificates(lab.files).check(lab.discovered().node(), lab.out);
        assertEquals(1, lab.out.warnings().size());
    }

    @Test
    void aLeafInPlaceOfACaAndADamagedKeyAreRefused() {
        copy(SHARED);
        lab.files.with(PKI + "/ca.crt", lab.first.files.text(PKI + "/apiserver.crt"));
        lab.files.with(PKI + "/sa.pub", "hello");
        UsageException refused = refusedCopy(lab.discovered());
        assertEquals(Set.of(PKI + "/ca.crt", PKI + "/sa.pub"), Named.files(refused.why()));
        assertEquals(
                Set.of("/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/pki/sa.pub"),
                Named.files(refused.why()),
                refused.why());
    }

    /** kubeadm 1.36 panics (kubernetes#138939). */
    @Test
    void aServiceAccountKeyOfAnotherTypeThanItsPublicHalfIsRefused() {
        copy(SHARED);
        lab.files.with(
                PKI + "/sa.pub",
                ServiceAccountKeys.generate(KeyAlgorithm.RSA_2048).publicKeyPem());
        UsageException refused = refusedCopy(lab.discovered());
        assertEquals(
                PKI + "/sa.pub: the private key is ECDSA and the public key RSA", refused.why());
    }

    @Test
    void withAnExternalEtcdItsCaIsNotShared() {
        JoinLab external =
                new JoinLab("etcd: {external: {endpoints: [\"http://10.0.0.1:2379\"]}}\n");
        Set.of("ca.crt", "ca.key", "front-proxy-ca.crt", "front-proxy-ca.key", "sa.key", "sa.pub")
                .forEach(name -> external.files.with(
                        PKI + "/" + name, external.first.files.text(PKI + "/" + name)));
        new ProvidedCertificates(external.files).check(external.discovered().node(), external.out);
    }

    @Test
    void aJoinNeverMakesACaOfItsOwn() {
        JoinRun run = lab.start(lab.config(true)
                .withControlPlane(lab.config(true)
                        .controlPlane()
                        .map(part -> part.withCertificateKey(Optional.empty()))));
        assertThrows(PhaseFailure.class, () -> lab.phases(run, "control-plane-prepare/certs"));
        assertFalse(lab.files.exists(PKI.resolve("ca.crt")));
    }
}
