package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Writer;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The main job: three control-plane nodes, each with a voting etcd member. */
@Order(4)
@NeedsLab
@Tag("long")
final class ControlPlanesIT {
    @Test
    void threeNodesOneAfterAnotherWhileWritesGoOn() {
        try (var lab = Lab.withNodes(3)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);
            try (var writer = Writer.on(lab.node(1))) {
                cluster.joinControlPlane(Tool.KJADM, lab.node(2));
                cluster.joinControlPlane(Tool.KJADM, lab.node(3));
                var writes = writer.writes();
                assertTrue(writes.acknowledged().size() > 1, writes::toString);
                // a second voter that is not there yet costs the first its quorum
                if (Settings.learnersByDefault()) {
                    assertEquals(0, writes.failed(), writes::toString);
                }
            }
            assertHealthy(lab, cluster, 3);
        }
    }

    /**
     * etcd takes one learner at a time: those who come too early have to wait their turn, unaided.
     */
    @Test
    void threeJoinsAtOnceAllSucceed() throws InterruptedException {
        Assumptions.assumeTrue(
                Settings.learnersByDefault(), "voters added at once get in each other's way");
        try (var lab = Lab.withNodes(4);
                var runner = Executors.newFixedThreadPool(3)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);

            List<Callable<Outcome>> joins = lab.nodes().stream()
                    .skip(1)
                    .<Callable<Outcome>>map(
                            node -> () -> cluster.tryJoinControlPlane(Tool.KJADM, node))
                    .toList();
            runner.invokeAll(joins).stream().map(ControlPlanesIT::result).forEach(Outcome::orFail);

            assertHealthy(lab, cluster, 4);
        }
    }

    private static void assertHealthy(Lab lab, Cluster cluster, int count) {
        var all = lab.nodes().subList(0, count).toArray(io.kjadm.e2e.lab.Node[]::new);
        cluster.awaitReady(all);
        cluster.awaitControlPlanePods(all);
        cluster.assertVoters(all);
    }

    private static Outcome result(Future<Outcome> done) {
        try {
            return done.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }
}
