package io.kjadm.e2e;

import static io.kjadm.e2e.cluster.UpgradeLab.FORMER;
import static io.kjadm.e2e.cluster.UpgradeLab.JOURNAL;
import static io.kjadm.e2e.cluster.UpgradeLab.LONG;
import static io.kjadm.e2e.cluster.UpgradeLab.NEXT;
import static io.kjadm.e2e.cluster.UpgradeLab.SETTLING;
import static io.kjadm.e2e.cluster.UpgradeLab.files;
import static io.kjadm.e2e.cluster.UpgradeLab.told;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.ClusterWriters;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.UpgradeLab;
import io.kjadm.e2e.cluster.UpgradeLab.EtcdStep;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Test;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Three control planes with the etcd 3.6.8 of kubeadm 1.36 go to 1.37 and its etcd 3.7, through the
 * patch release that 3.7 requires of every member, while clients write: killed behind every step of
 * the journal, and with a node that joins in between. It needs builds of these etcds, and is skipped
 * without them.
 */
@NeedsLab
final class PatchReleaseIT {

    private static final String PATCH = "kjadm etcd upgrade 3.6.11";

    @Test
    void everyMemberHasThePatchReleaseBeforeTheFirstGetsTheNextMinor() {
        var etcd = EtcdStep.patchBeforeMinor();
        Components.etcdTag("3.7.0");
        try (var upgrade = UpgradeLab.withEtcd(etcd, 4, 3)) {
            var cluster = upgrade.cluster();
            var founders = upgrade.lab().nodes().subList(0, 3);
            try (var writers = new ClusterWriters(cluster, founders)) {
                upgrade.wantNoEtcd(etcd);
                var first = upgrade.node(1);
                isPlannedFirst(first);
                isDryRun(upgrade, first);

                served(writers, first, () -> killedBehindEveryStep(upgrade, first));
                var stopped = upgrade.apply(first);
                assertEquals(1, stopped.status(), stopped::everything);
                assertTrue(stopped.stderr().contains(PATCH), stopped::everything);
                assertEtcd(first, "3.6.11-0");
                upgrade.assertVersion(first, FORMER);

                var waiting = upgrade.startApply(first, "--etcd-patch-wait=20m");
                told(waiting, "Now run '" + PATCH);
                var others = joined(upgrade);
                var ordered = leaderLast(cluster, others);
                ordered.stream()
                        .limit(ordered.size() - 1)
                        .forEach(node -> served(writers, node, () -> getsThePatch(node)));
                // node 1 goes on behind the last one
                getsThePatch(ordered.getLast());
                served(writers, first, () -> {
                    var ended = waiting.outcome().orFail();
                    assertFalse(first.exists(JOURNAL), ended::everything);
                });
                assertEtcd(first, "3.7.0-0");

                leaderLast(cluster, others)
                        .forEach(node -> served(writers, node, () -> {
                            var run = upgrade.startNode(node).outcome().orFail();
                            System.out.printf(
                                    "[patch release] %s to 3.7: %.1f s%n",
                                    node.name(), seconds(run));
                            assertEtcd(node, "3.7.0-0");
                        }));
                everyMemberRuns(cluster, founders, "3.7.0");
                assertFalse(configuration(cluster).contains("imageTag"));
                cluster.awaitReady(
                        Stream.concat(Stream.of(first), others.stream()).toArray(Node[]::new));
                assertEquals(List.of(), writers.lost(first));
                assertEquals(0, writers.missed());
            }
        }
    }

    private static void isPlannedFirst(Node node) {
        var plan = node.exec(
                "kjadm",
                "upgrade",
                "plan",
                NEXT,
                "--ignore-preflight-errors=SystemVerification,NodesReady");
        assertEquals(0, plan.status(), plan::everything);
        assertTrue(plan.stdout().contains("EtcdPatchFirst"), plan::everything);
        var steps = plan.stdout().substring(plan.stdout().indexOf("in this order"));
        assertTrue(steps.indexOf(PATCH) < steps.indexOf("kjadm upgrade apply"), plan::everything);
    }

    private static void isDryRun(UpgradeLab upgrade, Node node) {
        var before = files(node);
        var told = upgrade.apply(node, "--dry-run").orFail();
        assertTrue(told.everything().contains(PATCH), told::everything);
        assertEquals(before, files(node));
    }

    private static void killedBehindEveryStep(UpgradeLab upgrade, Node node) {
        Stream.of("BEGUN", "SNAPSHOT_TAKEN", "CHANGING", "COMPONENT_DONE").forEach(step -> {
            upgrade.applyKilledAt(step, node);
            upgrade.assertVersion(node, FORMER);
        });
    }

    /** A node of the other program brings what kubeadm 1.36 installs, where that is at hand. */
    private static List<Node> joined(UpgradeLab upgrade) {
        var others = List.of(upgrade.node(2), upgrade.node(3));
        if (!Components.kubeadmAtHand()) {
            return others;
        }
        var fourth = upgrade.node(4);
        upgrade.cluster().joinControlPlane(Tool.KUBEADM, fourth);
        assertEtcd(fourth, "3.6.8-0");
        return Stream.concat(others.stream(), Stream.of(fourth)).toList();
    }

    private static List<Node> leaderLast(Cluster cluster, List<Node> nodes) {
        return nodes.stream().sorted(Comparator.comparing(cluster::leads)).toList();
    }

    private static void getsThePatch(Node node) {
        var run = node.start(LONG, "kjadm", "etcd", "upgrade", "3.6.11", "--soak=5s")
                .outcome()
                .orFail();
        System.out.printf("[patch release] %s to 3.6.11: %.1f s%n", node.name(), seconds(run));
        assertEtcd(node, "3.6.11-0");
    }

    /** The other members served clients all the while. */
    private static void served(ClusterWriters writers, Node except, Runnable step) {
        var span = writers.begin();
        step.run();
        span.report(except.name(), except);
        span.requireServed(except);
    }

    private static void assertEtcd(Node node, String tag) {
        var manifest = node.read(Node.ETCD_MANIFEST);
        assertTrue(manifest.contains("etcd:" + tag), manifest);
    }

    private static void everyMemberRuns(Cluster cluster, List<Node> nodes, String version) {
        nodes.forEach(node -> Eventually.passes(SETTLING, () -> {
            var status = cluster.etcdctl(node, "endpoint status -w fields").stdout();
            assertTrue(status.contains("\"Version\" : \"" + version + "\""), status);
        }));
    }

    private static String configuration(Cluster cluster) {
        try (var client = cluster.client()) {
            return client.configMaps()
                    .inNamespace("kube-system")
                    .withName("kubeadm-config")
                    .get()
                    .getData()
                    .get("ClusterConfiguration");
        }
    }

    private static double seconds(Outcome outcome) {
        return outcome.took().toMillis() / 1000.0;
    }
}
