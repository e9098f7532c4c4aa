package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Test;

/** A node that leaves takes its etcd member with it, and may come back. */
@NeedsLab
final class ResetIT {
    @Test
    void aNodeThatWasResetJoinsAgain() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);
            cluster.joinControlPlane(Tool.KJADM, lab.node(2));

            cluster.reset(Tool.KJADM, lab.node(2));
            cluster.assertVoters(lab.node(1));
            assertFalse(lab.node(2).exists(Node.ETCD_MANIFEST));
            Trial.assertEtcdGone(lab.node(2));

            cluster.forget(lab.node(2));
            cluster.joinControlPlane(Tool.KJADM, lab.node(2));
            cluster.awaitReady(lab.node(1), lab.node(2));
            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }
}
