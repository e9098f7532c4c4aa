package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.Selection;
import io.kjadm.manifests.CertificatesSecret;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SealedFile;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Base64;
import java.util.List;

/** A join was cut short behind its certificates, and etcd's CA is rotated before it is run again. */
class ReplacedEtcdCaTest {

    private static final String PKI = "/etc/kubernetes/pki/";
    private static final List<String> LEAVES =
            List.of("etcd/server", "etcd/peer", "etcd/healthcheck-client", "apiserver-etcd-client");
    private static final List<String> PREPARED =
            List.of("control-plane-prepare/download-certs", "control-plane-prepare/certs");

    private JoinLab lab;

    @BeforeEach
    void aJoinWasCutShort() {
        lab = new JoinLab();
        prepare(lab);
        assertTrue(lab.start().resumed());
    }

    private static void prepare(JoinLab lab) {
        lab.phases(lab.start(), PREPARED.toArray(String[]::new));
    }

    private CertificateAuthority uploaded(Duration later) {
        CertificateAuthority ca = CertificateAuthority.create(
                "etcd-ca",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(lab.waiter.now().plus(later), Duration.ofDays(3650)));
        Secret secret = lab.api
                .get(Secret.class, "kube-system", CertificatesSecret.NAME)
                .orElseThrow();
        secret.getData().put("etcd-ca.crt", sealed(ca.certificatePem()));
        secret.getData().put("etcd-ca.key", sealed(ca.keyPem().orElseThrow()));
        lab.api.replace(secret);
        return ca;
    }

    private String sealed(String content) {
        CertificateKey key = CertificateKey.parse(lab.cluster.certificateKey().orElseThrow());
        return Base64.getEncoder()
                .encodeToString(SealedFile.seal(content.getBytes(), key).bytes());
    }

    private void assertFollows(CertificateAuthority ca) {
        assertEquals(ca.certificatePem(), lab.files.text(PKI + "etcd/ca.crt"));
        assertEquals(ca.keyPem().orElseThrow(), lab.files.text(PKI + "etcd/ca.key"));
        for (String leaf : LEAVES) {
            String pem = lab.files.text(PKI + leaf + ".crt");
            assertDoesNotThrow(
                    () -> ca.verify(pem, lab.waiter.now().plus(Duration.ofHours(1))), leaf);
            assertTrue(
                    CertificateInfo.parse(pem).matchesKey(lab.files.text(PKI + leaf + ".key")),
                    leaf);
        }
    }

    @Test
    void theNewOneIsTakenAndSignsWhatTheFormerOneHasSigned() {
        String apiServer = lab.files.text(PKI + "apiserver.crt");
        CertificateAuthority ca = uploaded(Duration.ofMinutes(1));
        prepare(lab);
        assertFollows(ca);
        assertEquals(apiServer, lab.files.text(PKI + "apiserver.crt"));
    }

    /** An operator has brought the new one here, and what was uploaded before is still there. */
    @Test
    void anOlderOneIsNot() {
        String here = lab.files.text(PKI + "etcd/ca.crt");
        uploaded(Duration.ofDays(-1));
        prepare(lab);
        assertEquals(here, lab.files.text(PKI + "etcd/ca.crt"));
    }

    /** A rotation waits for it. */
    @Test
    void whereThereIsAMemberItsCaStays() {
        String here = lab.files.text(PKI + "etcd/ca.crt");
        lab.files.with("/etc/kubernetes/manifests/etcd.yaml", "of the member");
        uploaded(Duration.ofMinutes(1));
        prepare(lab);
        assertEquals(here, lab.files.text(PKI + "etcd/ca.crt"));
    }

    @Test
    void withoutAnUploadTheJoinGoesOn() {
        lab.api.delete(Secret.class, "kube-system", CertificatesSecret.NAME);
        assertDoesNotThrow(() -> prepare(lab));
    }

    @Test
    @Tag("power-cut")
    void thePowerMayGoBehindEveryChange() {
        int step = 1;
        while (true) {
            aJoinWasCutShort();
            CertificateAuthority ca = uploaded(Duration.ofMinutes(1));
            PowerCut.Socket socket = new PowerCut.Socket(step++);
            HostFiles files = socket.plug(HostFiles.class, lab.files);
            socket.cuts(() -> {
                JoinRun run = lab.start(lab.config(true), files);
                for (String phase : PREPARED) {
                    run = lab.workflow(
                                    files,
                                    lab.runner,
                                    lab.runtime,
                                    access -> lab.api,
                                    access -> lab.etcd,
                                    lab.waiter)
                            .run(run, Selection.only(phase), lab.out);
                }
            });
            prepare(lab);
            assertFollows(ca);
            assertFalse(lab.files.files().toString().contains(".renewed"));
            if (!socket.wasCut()) {
                break;
            }
        }
        assertTrue(step > 8, "only %d steps".formatted(step));
    }
}
