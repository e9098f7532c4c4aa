package io.kjadm.core.certs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ca.RotationAcceptance;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.etcd.Named;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A rotation is killed, or the cluster or a CA is not as it should be; real members with TLS. */
class EtcdCaRotationFaultsTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    /** Each of them takes two rotations: of all, one after the other, or of a sample. */
    private static final int STRIDE = "all".equals(System.getProperty("kjadm.faults")) ? 1 : 5;

    private static final String ENDED = EtcdValues.PREFIX + "etcd/ca-rotation-ended";

    @TempDir
    Path folder;

    /** The program is gone; nothing behind this is done. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Whatever was the last that it wrote or had restarted, the same command goes on. */
    @Test
    void killedBehindEachChangeTheSameCommandEndsIt() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 1)) {
            RotationLab.Node node = lab.node(1);
            node.end = EtcdProcess::close;
            int kills = 0;
            // another sample each time
            int first = new SecureRandom().nextInt(STRIDE);
            for (int survived = first; ; survived += STRIDE) {
                AtomicInteger left = new AtomicInteger(survived);
                node.beforeRestart = () -> count(left);
                boolean killed = false;
                try {
                    node.rotation(files -> dyingAfter(files, left))
                            .run(Duration.ZERO, (area, question) -> true);
                } catch (Killed e) {
                    killed = true;
                    kills++;
                }
                node.beforeRestart = () -> {};
                if (!killed) {
                    break;
                }
                CertificateInfo before = CertificateInfo.parse(node.read("etcd/ca.crt"));
                node.rotate(Duration.ZERO);
                EtcdCaRotationTest.assertWhole(node);
                assertEquals(
                        1, CertificateInfo.parseAll(node.read("etcd/ca.crt")).size());
                try (EtcdValues values = node.values()) {
                    assertEquals(Map.of(), values.readAll(EtcdValues.PREFIX + "etcd/ca-rotation/"));
                    assertTrue(values.read(ENDED).isPresent(), "killed after " + survived + before);
                    values.removeAll(ENDED);
                }
            }
            assertTrue(
                    kills * STRIDE > 15,
                    "it was killed %d times, first behind %d changes".formatted(kills, first));
        }
    }

    @Test
    void aMemberThatIsAwayKeepsItFromBeginning() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 3)) {
            lab.node(3).process.close();
            lab.acceptance = Duration.ofSeconds(1);
            String before = lab.node(1).read("etcd/ca.crt");
            ClusterException refused =
                    assertThrows(ClusterException.class, () -> lab.node(1).rotate(Duration.ZERO));
            assertEquals(before, lab.node(1).read("etcd/ca.crt"));
            assertEquals(Set.of("cp-3"), Named.members(refused.why()));
            assertEquals(before, lab.node(1).read("etcd/ca.crt"));
            try (EtcdValues values = lab.node(1).values()) {
                assertEquals(Map.of(), values.readAll(EtcdValues.PREFIX));
            }
        }
    }

    /** Its kubelet lets it wait for longer than anybody waits before a rotation is begun. */
    @Test
    void aMemberThatIsRestartedElsewhereIsWaitedForOnceItHasBegun() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 3)) {
            lab.nodes.forEach(node -> node.end = EtcdProcess::close);
            lab.nodes.forEach(node -> node.rotate(Duration.ZERO));
            RotationLab.Node first = lab.node(1);
            first.acceptance = new RotationAcceptance.Limits(Duration.ZERO, LONG);
            lab.node(3).process.stop();
            CompletableFuture<Void> back = CompletableFuture.runAsync(
                    () -> lab.node(3).startAgain(),
                    CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS));
            first.rotate(Duration.ZERO);
            back.join();
        }
    }

    @Test
    void aCaWhoseKeyIsElsewhereIsRotatedElsewhere() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 1)) {
            RotationLab.Node node = lab.node(1);
            Files.delete(node.pki().resolve("etcd/ca.key"));
            HostException refused =
                    assertThrows(HostException.class, () -> node.rotate(Duration.ZERO));
            assertEquals(Optional.of(CommonReason.CA_CANNOT_SIGN), refused.reason());
        }
    }

    @Test
    void aNodeWithAnotherCaIsToldSo() throws IOException {
        try (RotationLab lab = new RotationLab(folder, 2)) {
            lab.node(1).beforeRestart = () -> {
                throw new Killed();
            };
            assertThrows(Killed.class, () -> lab.node(1).rotate(Duration.ZERO));
            CertificateAuthority stranger = new RotationLab(folder.resolve("other"), 0).former;
            RotationLab.Node node = lab.node(2);
            // its certificates are those that etcd knows, only the CA's files are not
            Files.writeString(
                    node.pki().resolve("etcd/ca.crt"),
                    stranger.certificatePem() + lab.former.certificatePem());
            Files.writeString(
                    node.pki().resolve("etcd/ca.key"), stranger.keyPem().orElseThrow());
            HostException refused =
                    assertThrows(HostException.class, () -> node.rotate(Duration.ZERO));
            assertEquals(
                    "the CA in %s is neither the old nor the new one of the rotation in progress"
                            .formatted(node.pki().resolve("etcd/ca.crt")),
                    refused.what());
        }
    }

    private static void count(AtomicInteger left) {
        if (left.getAndDecrement() == 0) {
            throw new Killed();
        }
    }

    private static HostFiles dyingAfter(HostFiles files, AtomicInteger left) {
        return (HostFiles) Proxy.newProxyInstance(
                HostFiles.class.getClassLoader(),
                new Class<?>[] {HostFiles.class},
                (proxy, method, arguments) -> {
                    if (List.of("write", "delete").contains(method.getName())) {
                        count(left);
                    }
                    try {
                        return method.invoke(files, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
