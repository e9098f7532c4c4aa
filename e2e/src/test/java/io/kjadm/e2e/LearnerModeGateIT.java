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
import org.junit.jupiter.api.Test;

/** The {@code EtcdLearnerMode} gate: chosen at {@code init}, followed by every join (KEP-3614). */
@NeedsLab
final class LearnerModeGateIT {
    @Test
    void switchedOffAddsAVoterDirectlyAndWarns() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard().withGate("EtcdLearnerMode", false));
            cluster.init(Tool.KJADM);
            var joined = cluster.joinControlPlane(Tool.KJADM, lab.node(2));

            assertTrue(joined.everything().contains("deprecated"), joined::everything);
            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }

    @Test
    void etcdWithoutLearnersIsRefusedBeforeAnythingIsAdded() {
        var tag = Components.etcdTag("3.3.");
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab,
                    Settings.standard().withEtcdTag(tag).withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);

            var refused = cluster.tryJoinControlPlane(Tool.KJADM, lab.node(2));

            assertNotEquals(0, refused.status());
            assertTrue(refused.everything()
                    .contains("etcd learner mode is not supported by this etcd version"),
                    refused::everything);
            assertEquals(1, cluster.members(lab.node(1)).size());
        }
    }

    @Test
    void theOldestEtcdWithLearnersIsEnough() {
        var tag = Components.etcdTag("3.4.");
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab,
                    Settings.standard().withEtcdTag(tag).withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);
            cluster.joinControlPlane(Tool.KJADM, lab.node(2));

            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }
}
