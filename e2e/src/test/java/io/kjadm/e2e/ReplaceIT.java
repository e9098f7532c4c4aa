package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.ClusterWriters;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.Stream;

/** A control-plane node dies, and another machine takes its place, while clients write. */
@NeedsLab
final class ReplaceIT {

    @BeforeAll
    static void takesLong() {
        Components.playOnDemandInSandbox();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void aNewMachineTakesThePlaceOfADeadOne(int voters) {
        try (var lab = Lab.withNodes(voters + 1)) {
            var cluster = new Cluster(lab, Settings.standard());
            var first = lab.node(1);
            var dead = lab.node(voters);
            var fresh = lab.node(voters + 1);
            var survivors = lab.nodes().subList(0, voters - 1);
            cluster.init(Tool.KJADM);
            lab.nodes()
                    .subList(1, voters)
                    .forEach(node -> cluster.joinControlPlane(Tool.KJADM, node));
            cluster.awaitReady(lab.nodes().subList(0, voters).toArray(Node[]::new));
            try (var writers = new ClusterWriters(cluster, survivors)) {
                var span = writers.begin();
                dead.cutPower();
                var begun = System.nanoTime();

                var refused = cluster.tryJoinControlPlane(Tool.KJADM, fresh);
                assertEquals(1, refused.status(), refused::everything);
                assertTrue(refused.stderr().contains(dead.name()), refused::everything);
                cluster.assertVoters(lab.nodes().subList(0, voters).toArray(Node[]::new));

                var told = first.run("kjadm", "etcd", "member", "replace", dead.name(), "--yes");
                assertTrue(told.stdout().contains("Now join"), told::everything);
                cluster.forget(dead);
                cluster.renewCredentials();
                cluster.joinControlPlane(Tool.KJADM, fresh);

                System.out.printf(
                        "[replace] of %d: %.1f s%n", voters, (System.nanoTime() - begun) / 1e9);
                var now = Stream.concat(survivors.stream(), Stream.of(fresh)).toArray(Node[]::new);
                cluster.awaitReady(now);
                cluster.assertVoters(now);
                span.report("a dead one of " + voters + " replaced", dead);
                assertEquals(List.of(), writers.lost(fresh));
                assertEquals(0, writers.missed());
            }
        }
    }
}
