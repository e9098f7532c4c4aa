package io.kjadm.e2e;

import static io.kjadm.e2e.cluster.UpgradeLab.JOURNAL;
import static io.kjadm.e2e.cluster.UpgradeLab.NEXT;
import static io.kjadm.e2e.cluster.UpgradeLab.SETTLING;
import static io.kjadm.e2e.cluster.UpgradeLab.told;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.ClusterWriters;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.UpgradeLab;
import io.kjadm.e2e.cluster.UpgradeLab.EtcdStep;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

import java.util.List;

/**
 * What the failure catalogue promises of upgrades, where the cluster also goes from etcd 3.5 to
 * 3.6: three control planes, one after the other. The numbers are the catalogue's.
 */
@Order(4)
@NeedsLab
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class UpgradeFaultsIT {
    /** etcd asks for a later patch release of 3.5 before 3.6, and none is packaged. */
    private static final String LATER_PATCH = "--ignore-preflight-errors=EtcdPatchFirst";

    private EtcdStep etcd;
    private UpgradeLab upgrade;
    private Cluster cluster;
    private List<Node> nodes;
    private ClusterWriters writers;

    @BeforeAll
    void makeTheCluster() {
        Components.playOnDemandInSandbox();
        etcd = EtcdStep.largest();
        upgrade = UpgradeLab.withEtcd(etcd, 3, 3);
        cluster = upgrade.cluster();
        nodes = upgrade.lab().nodes();
        writers = new ClusterWriters(cluster, nodes);
        upgrade.wantEtcd(etcd);
    }

    @AfterAll
    void removeIt() {
        if (writers != null) {
            writers.close();
        }
        if (upgrade != null) {
            upgrade.close();
        }
    }

    @Order(1)
    @Test
    void f92WhileAnotherVoterIsDownNothingIsChanged() {
        var other = upgrade.node(3);
        other.shell("mv %s /root/etcd.yaml".formatted(Node.ETCD_MANIFEST));
        try {
            Eventually.passes(
                    SETTLING,
                    () -> assertFalse(
                            cluster.tryEtcdctl(other, "endpoint health").status() == 0));
            assertRefused("EtcdVoters", LATER_PATCH);
        } finally {
            other.shell("mv /root/etcd.yaml " + Node.ETCD_MANIFEST);
        }
        Eventually.passes(
                SETTLING, () -> cluster.etcdctl(upgrade.node(1), "endpoint health --cluster"));
        // its API server and its kubelet took part in that
        cluster.awaitReady(nodes.toArray(Node[]::new));
        cluster.awaitControlPlanePods(nodes.toArray(Node[]::new));
    }

    @Order(2)
    @Test
    void f93WithoutRoomForTheSnapshotNothingIsChanged() {
        var node = upgrade.node(1);
        node.shell(
                "mkdir -p /etc/kubernetes/tmp && mount -t tmpfs -o size=64k none /etc/kubernetes/tmp");
        try {
            assertRefused("FreeSpace", LATER_PATCH);
        } finally {
            node.shell("umount /etc/kubernetes/tmp");
        }
    }

    @Order(3)
    @Test
    void f94ThePatchReleaseThatComesFirstIsNamed() {
        requireTwoMinors();
        assertRefused("EtcdPatchFirst");
    }

    @Order(4)
    @Test
    void f98AnApiThatIsAwayForMinutesIsNotMissed() {
        var node = upgrade.node(1);
        var run = upgrade.startApply(node, LATER_PATCH);
        told(run, "Replaced the manifest of etcd");
        node.block("-d %s -p tcp --dport 6443".formatted(upgrade.lab().balancer()));
        try {
            told(run, "Replaced the manifest of kube-scheduler");
        } finally {
            node.unblock();
        }
        var ended = run.outcome().orFail();
        System.out.printf("[upgrade] while the API was away: %.1f s%n", seconds(ended));
        assertUpgraded(node);
    }

    @Order(5)
    @Test
    void f100OnceTheClusterVersionHasRisenOnlyTheWayForwardIsOffered() {
        requireTwoMinors();
        System.out.printf(
                "[upgrade] node 2, etcd 3.5 to 3.6: %.1f s%n",
                seconds(upgrade.startNode(upgrade.node(2), LATER_PATCH)
                        .outcome()
                        .orFail()));
        var last = upgrade.node(3);
        upgrade.wantWrongFlag();
        var failed = upgrade.startNode(last, LATER_PATCH).outcome();
        failed.failsFor("no-such-flag");
        assertTrue(failed.stderr().contains("this node cannot be rolled back"), failed::everything);
        assertTrue(last.read(Node.ETCD_MANIFEST).contains("etcd:" + etcd.next()));
        Eventually.passes(
                SETTLING, () -> cluster.etcdctl(upgrade.node(1), "endpoint health --cluster"));

        upgrade.wantNoWrongFlag();
        System.out.printf(
                "[upgrade] node 3, forward: %.1f s%n",
                seconds(upgrade.startNode(last, LATER_PATCH).outcome().orFail()));
        nodes.forEach(this::assertUpgraded);
        cluster.assertVoters(nodes.toArray(Node[]::new));
        nodes.forEach(node -> assertEquals(List.of(), writers.lost(node)));
        assertEquals(0, writers.missed());
    }

    private void requireTwoMinors() {
        assumeTrue(etcd.minors(), "no etcd 3.6 to go to from 3.5");
    }

    /** Nothing is different on node 1, and what is in the way is named. */
    private void assertRefused(String rule, String... more) {
        var node = upgrade.node(1);
        var before = everything(node);
        var told = upgrade.apply(node, more);
        told.failsFor("[ERROR " + rule + "]");
        assertEquals(before, everything(node));
    }

    private static String everything(Node node) {
        return node.shell("find /etc/kubernetes -type f | sort | xargs sha256sum");
    }

    private void assertUpgraded(Node node) {
        assertFalse(node.exists(JOURNAL), node::logs);
        assertTrue(node.read(Node.ETCD_MANIFEST).contains("etcd:" + etcd.next()), node::logs);
        upgrade.assertVersion(node, NEXT);
    }

    private static double seconds(Outcome outcome) {
        return outcome.took().toMillis() / 1000.0;
    }
}
