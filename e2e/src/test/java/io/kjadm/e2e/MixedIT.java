package io.kjadm.e2e;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes of kjadm and nodes of kubeadm in one cluster, whichever came first. */
@NeedsLab(kubeadm = true)
final class MixedIT {
    @ParameterizedTest
    @EnumSource(Tool.class)
    void theOtherToolJoins(Tool first) {
        var second = first == Tool.KJADM ? Tool.KUBEADM : Tool.KJADM;
        try (var lab = Lab.withNodes(4)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(first);
            cluster.joinControlPlane(second, lab.node(2));
            cluster.joinControlPlane(first, lab.node(3));
            cluster.joinWorker(second, lab.node(4));

            cluster.awaitReady(lab.nodes().toArray(io.kjadm.e2e.lab.Node[]::new));
            cluster.awaitControlPlanePods(lab.node(1), lab.node(2), lab.node(3));
            cluster.assertVoters(lab.node(1), lab.node(2), lab.node(3));

            cluster.reset(second, lab.node(3));
            cluster.assertVoters(lab.node(1), lab.node(2));
        }
    }
}
