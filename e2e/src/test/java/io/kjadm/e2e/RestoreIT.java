package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** Snapshots taken of real clusters and put back when the data are wrong, or gone. */
@NeedsLab
final class RestoreIT {
    private static final String ADMIN = "export KUBECONFIG=/etc/kubernetes/admin.conf; ";
    private static final String MEMBER = "/var/lib/etcd/member";
    private static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-restore/journal.json";
    private static final Duration SETTLING = Duration.ofMinutes(3);

    @BeforeAll
    static void needsContainers() {
        assumeTrue(
                Components.atHand() == Components.REAL,
                "data are restored in a pod, which a sandbox has not");
    }

    @Test
    void aClusterOfOneIsRestoredThroughFiveKills() {
        try (var lab = Lab.withNodes(1)) {
            var cluster = new Cluster(lab, Settings.standard());
            var node = lab.node(1);
            cluster.init(Tool.KJADM);
            cluster.awaitReady(node);
            create(node, "before");
            node.run("kjadm", "etcd", "snapshot", "save");
            create(node, "after");

            killAt(node, "SET_ASIDE");
            node.run("kjadm", "etcd", "snapshot", "restore", "--undo");
            Eventually.passes(SETTLING, () -> assertEquals("after before", configMaps(node)));

            for (var step : List.of("FETCHED", "STOPPED", "SET_ASIDE", "REBUILT", "SERVING")) {
                killAt(node, step);
            }
            var told = restore(node).orFail();

            assertEquals("before", configMaps(node), told::everything);
            assertFalse(node.exists(JOURNAL), told::everything);
            assertTrue(
                    node.read(Node.ETCD_MANIFEST).contains("--initial-cluster-state=existing"),
                    told::everything);
            assertEquals(
                    "1",
                    node.shell("ls -d /var/lib/etcd/member.replaced* | wc -l"),
                    told::everything);
            cluster.awaitReady(node);
        }
    }

    /** No member has any data left, and a bucket's worth of objects comes back. */
    @Test
    void threeNodesThatLostAllTheirDataAreRestored() {
        try (var lab = Lab.withNodes(3)) {
            var cluster = new Cluster(lab, Settings.standard());
            var nodes = List.of(lab.node(1), lab.node(2), lab.node(3));
            var first = nodes.getFirst();
            cluster.init(Tool.KJADM);
            nodes.stream().skip(1).forEach(node -> cluster.joinControlPlane(Tool.KJADM, node));
            cluster.awaitReady(nodes.toArray(Node[]::new));
            for (int i = 0; i < 20; i++) {
                create(first, "object-" + i);
            }
            first.run("kjadm", "etcd", "snapshot", "save");
            var objects = configMaps(first);
            assertTrue(objects.contains("object-19"), objects);

            var refused = restore(first);
            assertEquals(1, refused.status(), refused::everything);
            assertTrue(refused.stderr().contains("other etcd members still serve"));
            assertTrue(refused.stderr().contains(lab.node(3).address()), refused::everything);
            assertEquals(objects, configMaps(first));

            // the others are stopped as docs/backup-and-restore.md says, and none has any data left
            nodes.stream().skip(1).forEach(node -> node.shell("systemctl stop kubelet"));
            nodes.forEach(node -> node.shell(
                    "rm -rf %s; pkill -9 -x etcd; pkill -9 -x kube-apiserver".formatted(MEMBER)));
            var begun = System.nanoTime();
            restore(first).orFail();
            System.out.printf("[restore] first node: %.1f s%n", since(begun));
            assertEquals(objects, configMaps(first));
            for (var node : nodes.subList(1, 3)) {
                cluster.reset(Tool.KJADM, node).orFail();
                cluster.forget(node);
                cluster.renewCredentials();
                cluster.joinControlPlane(Tool.KJADM, node);
            }
            cluster.awaitReady(nodes.toArray(Node[]::new));
            System.out.printf("[restore] three nodes: %.1f s%n", since(begun));
            assertEquals(objects, configMaps(lab.node(3)));
            var status = first.run("kjadm", "etcd", "status").stdout();
            assertTrue(status.contains("3 of 3 voters are healthy"), status);
        }
    }

    private static double since(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }

    private static Outcome restore(Node node) {
        return node.exec("kjadm", "etcd", "snapshot", "restore", "latest", "--yes");
    }

    /** A kill as soon as a step is noted, or shortly after. */
    private static void killAt(Node node, String step) {
        node.shell("""
                kjadm etcd snapshot restore latest --yes > /root/restore.log 2>&1 &
                until grep -q '"step" : "%s"' %s 2> /dev/null || ! kill -0 $!; do sleep 0.02; done
                pkill -9 -P $! ; kill -9 $! 2> /dev/null; wait; grep -c step %s
                """.formatted(step, JOURNAL, JOURNAL));
    }

    private static void create(Node node, String name) {
        node.shell(ADMIN
                + "kubectl create configmap %1$s -n default --from-literal=a=b && kubectl label cm %1$s -n default made=here"
                        .formatted(name));
    }

    /** Those of {@link #create}; controllers make others. */
    private static String configMaps(Node node) {
        return node.shell(ADMIN
                + "kubectl get cm -n default -l made=here -o jsonpath='{.items[*].metadata.name}'");
    }
}
