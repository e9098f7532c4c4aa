package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Clusters whose etcd has a version that a join should not go on with (F69, F70 and F72 of
 * docs/failure-catalogue.md).
 */
@NeedsLab
final class VersionsIT {
    private static final String ALL = "kjadm.faults";
    private static final String DEMAND = "played only with -Dkjadm.faults=all";

    @Test
    @EnabledIfSystemProperty(named = ALL, matches = "all|.*F69.*", disabledReason = DEMAND)
    void aMemberTwoMinorsNewerIsRefused() {
        var old = Components.etcdTag("3.4.");
        var newest = Components.etcdTag("3.6.");
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(
                    lab, Settings.standard().withEtcdTag(old).withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);
            upgradeConfiguration(cluster, old, newest);

            refused(cluster, lab.node(2), "neighbouring");
            assertEquals(1, cluster.members(lab.node(1)).size());
        }
    }

    @Test
    @EnabledIfSystemProperty(named = ALL, matches = "all|.*F70.*", disabledReason = DEMAND)
    void membersOfTwoMinorsAreRefusedUnlessAllowed() {
        var old = Components.etcdTag("3.4.");
        var next = Components.etcdTag("3.5.3");
        try (var lab = Lab.withNodes(3)) {
            var cluster = new Cluster(
                    lab, Settings.standard().withEtcdTag(old).withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);
            upgradeConfiguration(cluster, old, next);
            cluster.joinControlPlane(Tool.KJADM, lab.node(2));

            refused(cluster, lab.node(3), "--allow-mixed");
            cluster.tryJoinControlPlane(Tool.KJADM, lab.node(3), "--allow-mixed")
                    .orFail();

            cluster.assertVoters(lab.node(1), lab.node(2), lab.node(3));
        }
    }

    @Test
    @EnabledIfSystemProperty(named = ALL, matches = "all|.*F72.*", disabledReason = DEMAND)
    void aVersionThatRecordsPromotionsInPartIsRefusedUnlessIgnored() {
        var tag = Components.etcdTag("3.5.1");
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(
                    lab, Settings.standard().withEtcdTag(tag).withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);

            refused(cluster, lab.node(2), "3.5.26");
            assertEquals(1, cluster.members(lab.node(1)).size());
            cluster.tryJoinControlPlane(
                            Tool.KJADM,
                            lab.node(2),
                            "--ignore-preflight-errors",
                            "EtcdVersion,SystemVerification,Swap")
                    .orFail();

            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }

    private static void refused(Cluster cluster, Node node, String words) {
        var refused = cluster.tryJoinControlPlane(Tool.KJADM, node);
        assertNotEquals(0, refused.status());
        assertTrue(refused.stderr().contains(words), refused::everything);
    }

    private static void upgradeConfiguration(Cluster cluster, String from, String to) {
        try (var client = cluster.client()) {
            client.configMaps()
                    .inNamespace("kube-system")
                    .withName("kubeadm-config")
                    .edit(map -> {
                        map.getData()
                                .computeIfPresent(
                                        "ClusterConfiguration",
                                        (key, text) -> text.replace(from, to));
                        return map;
                    });
        }
    }
}
