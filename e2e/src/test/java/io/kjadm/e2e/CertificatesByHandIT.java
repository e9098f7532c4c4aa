package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** A control-plane node whose shared certificates were copied there, not downloaded (KEP-15). */
@NeedsLab
@Tag("long")
final class CertificatesByHandIT {
    private static final List<String> SHARED = List.of(
            "ca.crt",
            "ca.key",
            "sa.key",
            "sa.pub",
            "front-proxy-ca.crt",
            "front-proxy-ca.key",
            "etcd/ca.crt",
            "etcd/ca.key");

    @Test
    void copiedCertificatesAreEnoughAndAllOfThemAreNeeded() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);

            copy(SHARED.subList(0, SHARED.size() - 2), lab.node(1), lab.node(2));
            var refused = cluster.tryJoinWithCopiedCertificates(Tool.KJADM, lab.node(2));
            assertNotEquals(0, refused.status());
            assertTrue(
                    refused.everything().contains("/etc/kubernetes/pki/etcd/ca.crt"),
                    refused::everything);
            assertFalse(lab.node(2).exists("/etc/kubernetes/manifests/kube-apiserver.yaml"));

            copy(SHARED, lab.node(1), lab.node(2));
            cluster.tryJoinWithCopiedCertificates(Tool.KJADM, lab.node(2)).orFail();
            cluster.awaitReady(lab.node(1), lab.node(2));
            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }

    private static void copy(List<String> files, Node from, Node to) {
        files.forEach(file ->
                to.write("/etc/kubernetes/pki/" + file, from.read("/etc/kubernetes/pki/" + file)));
    }
}
