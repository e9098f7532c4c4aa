package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Writer;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A node whose etcd can never start joins. As a voter its member would have cost a one-member cluster its quorum at
 * once; as a learner it costs nothing, and the join takes it back before it gives up.
 */
@NeedsLab
final class LearnerFailureIT {
    @Test
    void aLearnerThatNeverStartsLeavesNoMemberAndCostsNoWrite() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard().withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);
            lab.node(2).breakEtcd();

            try (var writer = Writer.on(lab.node(1))) {
                var failed = cluster.tryJoinControlPlaneFromFile(Tool.KJADM, lab.node(2),
                        "timeouts: {etcdAPICall: 20s}");

                assertNotEquals(0, failed.status());
                assertTrue(failed.everything().contains("removed"), failed::everything);
                var writes = writer.writes();
                assertTrue(writes.acknowledged().size() > 1, writes::toString);
                assertEquals(0, writes.failed(), writes::toString);
            }
            cluster.assertVoters(lab.node(1));
        }
    }

    @Test
    void anInterruptedJoinTakesItsLearnerBackAndTheMendedNodeJoins() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard().withGate("EtcdLearnerMode", true));
            cluster.init(Tool.KJADM);
            lab.node(2).breakEtcd();
            assertNotEquals(0, cluster.interruptJoin(Tool.KJADM, lab.node(2), Duration.ofSeconds(45)).status());
            cluster.assertVoters(lab.node(1));

            lab.node(2).mendEtcd();
            cluster.reset(Tool.KJADM, lab.node(2));
            cluster.forget(lab.node(2));
            cluster.joinControlPlane(Tool.KJADM, lab.node(2));

            cluster.awaitReady(lab.node(1), lab.node(2));
            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }
}
