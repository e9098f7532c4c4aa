package io.kjadm.e2e;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.api.Test;

/**
 * The lab itself: what kubeadm makes on it has to work, or nothing kjadm does there would prove
 * anything.
 */
@NeedsLab(kubeadm = true)
final class KubeadmIT {
    @Test
    void kubeadmAloneMakesAWorkingCluster() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KUBEADM);
            cluster.joinControlPlane(Tool.KUBEADM, lab.node(2));

            cluster.awaitReady(lab.node(1), lab.node(2));
            cluster.awaitControlPlanePods(lab.node(1), lab.node(2));
            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }
}
