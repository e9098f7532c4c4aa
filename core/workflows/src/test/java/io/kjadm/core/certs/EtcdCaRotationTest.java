package io.kjadm.core.certs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ca.CaRotationKey;
import io.kjadm.core.etcd.ca.Writing;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.PrivateKeyPem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Real members with TLS; the files of each node are its own. */
class EtcdCaRotationTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    @Test
    void nodeAfterNodeInThreeRoundsAndAWriterSeesNothingOfIt() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 3);
                Writing writer = new Writing(lab.node(1)::values)) {
            for (int round = 1; round <= 3; round++) {
                // once as it ends by itself, which takes it two seconds, then as by a power cut
                Consumer<EtcdProcess> end = round == 1 ? EtcdProcess::stop : EtcdProcess::close;
                lab.nodes.forEach(node -> node.end = end);
                for (RotationLab.Node node : lab.nodes) {
                    node.rotate(Duration.ZERO);
                }
            }
            // the first two wait for the third in the last round, which then ends it
            assertEquals(List.of(), writer.failures());
            assertTrue(writer.written() > 20, "it wrote " + writer.written());
            assertRotated(lab);

            lab.node(1).rotate(Duration.ZERO);
        }
    }

    @Test
    void allNodesAtOnceWaitForEachOther() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 3);
                ExecutorService nodes =
                        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            lab.nodes.forEach(node -> node.end = EtcdProcess::close);
            CompletableFuture.allOf(lab.nodes.stream()
                            .map(node -> CompletableFuture.runAsync(() -> node.rotate(LONG), nodes))
                            .toArray(CompletableFuture[]::new))
                    .join();
            assertRotated(lab);
        }
    }

    /** One after the other, without a key of the operator's: the first node makes one. */
    @Test
    void theKeyThatTheFirstNodePrintsIsNeededOnTheOthers() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 3)) {
            lab.nodes.forEach(node -> node.end = EtcdProcess::close);
            lab.nodes.forEach(node -> node.key = new CaRotationKey.Carried(Optional.empty()));
            lab.node(1).rotate(Duration.ZERO);
            CertificateKey printed = CertificateKey.parse(
                    lab.node(1).read("etcd/ca-rotation.key").strip());
            assertTrue(lab.out.text().contains(printed.hex()));

            String before = lab.node(2).read("etcd/ca.crt");
            assertThrows(UsageException.class, () -> lab.node(2).rotate(Duration.ZERO));
            lab.node(2).key = new CaRotationKey.Carried(Optional.of(CertificateKey.generate()));
            assertThrows(ClusterException.class, () -> lab.node(2).rotate(Duration.ZERO));
            assertEquals(before, lab.node(2).read("etcd/ca.crt"));
            assertFalse(Files.exists(lab.node(2).pki().resolve("etcd/ca-rotation.key")));

            for (RotationLab.Node node : lab.nodes.subList(1, 3)) {
                node.key = new CaRotationKey.Carried(Optional.of(printed));
                node.rotate(Duration.ZERO);
            }
            // all have kept it
            lab.nodes.forEach(node -> node.key = new CaRotationKey.Carried(Optional.empty()));
            lab.nodes.forEach(node -> node.rotate(Duration.ZERO));
            lab.nodes.forEach(node -> node.rotate(Duration.ZERO));
            assertRotated(lab);
        }
    }

    @Test
    void whoSaysNoHasChangedNothing() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 1)) {
            RotationLab.Node node = lab.node(1);
            assertThrows(
                    UsageException.class,
                    () -> node.rotation(UnaryOperator.identity())
                            .run(Duration.ZERO, (area, question) -> false));
            assertEquals(lab.former.certificatePem(), node.read("etcd/ca.crt"));
        }
    }

    /** One CA, the new one, everywhere; the former one's clients are refused. */
    private static void assertRotated(RotationLab lab) {
        assertEquals(
                1,
                lab.nodes.stream()
                        .map(node -> node.read("etcd/ca.crt") + node.read("etcd/ca.key"))
                        .collect(Collectors.toSet())
                        .size());
        assertNotEquals(lab.former.certificatePem(), lab.node(1).read("etcd/ca.crt"));
        lab.nodes.forEach(EtcdCaRotationTest::assertWhole);
        lab.nodes.forEach(
                node -> assertFalse(Files.exists(node.pki().resolve("etcd/ca-rotation.key"))));
        var old = lab.former.issue(
                CertificateSet.named(CertificateSet.ETCD_HEALTHCHECK_CLIENT)
                        .requestFor("", io.kjadm.pki.SubjectNames.none()),
                io.kjadm.pki.KeyAlgorithm.ECDSA_P256,
                io.kjadm.pki.Validity.startingAt(Instant.now(), Duration.ofHours(1)));
        for (RotationLab.Node node : lab.nodes) {
            EtcdAccess access = new EtcdAccess(
                    List.of(node.client),
                    node.read("etcd/ca.crt"),
                    old.certificatePem(),
                    PrivateKeyPem.toPkcs8(old.keyPem()));
            try (var etcd = new io.kjadm.etcd.JetcdConnector().connect(access)) {
                assertThrows(EtcdCallException.class, () -> etcd.status(node.client));
            }
        }
        try (EtcdValues values = lab.node(1).values()) {
            assertEquals(Map.of(), values.readAll(EtcdValues.PREFIX + "etcd/ca-rotation/"));
        }
        lab.node(1).assertHistoryCompacted();
    }

    /** Its certificates are of its CA, and its etcd shows them and can be asked by them. */
    static void assertWhole(RotationLab.Node node) {
        CertificateAuthority ca = CertificateAuthority.load(
                node.read("etcd/ca.crt"), Optional.of(node.read("etcd/ca.key")));
        CertificateSet.signedBy(CertificateSet.ETCD_CA)
                .forEach(spec -> ca.verify(node.read(spec.certificateFile()), Instant.now()));
        assertEquals(CertificateInfo.parse(node.read("etcd/server.crt")), node.shown());
        node.awaitServing();
    }
}
