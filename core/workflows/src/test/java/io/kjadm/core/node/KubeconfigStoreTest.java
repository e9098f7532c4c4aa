package io.kjadm.core.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.HostException;
import io.kjadm.core.init.InitLab;
import io.kjadm.core.net.LoopbackServer;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.KubeconfigUser;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import org.junit.jupiter.api.Test;

import java.util.Optional;

/** Kubeconfigs that the operator provided, with a CA whose key is elsewhere. */
class KubeconfigStoreTest {

    private static final String INTERMEDIATE =
            LoopbackServer.authority("intermediate").certificatePem();
    private static final String ROOT = LoopbackServer.authority("root").certificatePem();
    private static final String OTHER = LoopbackServer.authority("other").certificatePem();

    private final InitLab lab = new InitLab();
    private final KeyPairPool keys = KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256);
    private final KubeconfigStore store = new KubeconfigStore(
            lab.files, new CertificateStore(lab.files, keys, lab.out), keys, lab.out);
    private final ControlPlaneNode node =
            lab.start(InitLab.load(InitLab.CP_1), false).node();
    private final KubeconfigSpec spec = KubeconfigSpec.ADMIN;

    private void provided(String ca) {
        lab.files.with("/etc/kubernetes/pki/ca.crt", INTERMEDIATE + ROOT);
        lab.files.with(
                node.kubeconfig(spec.fileName()).toString(),
                Kubeconfig.of(
                                new Kubeconfig.Names("kubernetes", "me"),
                                new KubeconfigCluster("https://192.0.2.10:6443", ca),
                                KubeconfigUser.certificate("CERT", "KEY"))
                        .render());
    }

    @Test
    void everyCertificateOfTheChainWillDo() {
        for (String ca : new String[] {INTERMEDIATE, ROOT, ROOT + OTHER}) {
            provided(ca);
            String before = lab.files.text(node.kubeconfig(spec.fileName()).toString());
            store.provide(node, spec);
            assertEquals(before, lab.files.text(node.kubeconfig(spec.fileName()).toString()));
        }
    }

    @Test
    void onlyTheFirstCaOfTheKubeconfigCounts() {
        for (String ca : new String[] {OTHER, OTHER + ROOT}) {
            provided(ca);
            HostException refused =
                    assertThrows(HostException.class, () -> store.provide(node, spec));
            assertEquals(Optional.of(CommonReason.OTHER_CLUSTER), refused.reason());
        }
    }

    @Test
    void withoutAKeyNoneIsMade() {
        lab.files.with("/etc/kubernetes/pki/ca.crt", INTERMEDIATE + ROOT);
        assertThrows(HostException.class, () -> store.provide(node, spec));
    }
}
