package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code kjadm init} and a worker that joins. */
@NeedsLab
@Tag("long")
final class InitIT {
    @Test
    void initThenWorkerMakesAReadyCluster() {
        try (var lab = Lab.withNodes(2)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);
            cluster.joinWorker(Tool.KJADM, lab.node(2));

            cluster.awaitReady(lab.node(1), lab.node(2));
            cluster.awaitControlPlanePods(lab.node(1));
            cluster.assertVoters(lab.node(1));
        }
    }

    @Test
    void refusesToInitASecondTime() {
        try (var lab = Lab.withNodes(1)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);

            assertEquals(1, cluster.tryInit(Tool.KJADM).status());
            cluster.awaitReady(lab.node(1));
        }
    }
}
