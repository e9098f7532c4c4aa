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

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Clusters that lost members: what is said of them, and a survivor that begins anew. */
@NeedsLab
final class RecoverIT {
    private static final String ADMIN = "export KUBECONFIG=/etc/kubernetes/admin.conf; ";
    private static final Duration SETTLING = Duration.ofMinutes(5);
    private static final int OBJECTS = 20;

    @BeforeAll
    static void needsContainers() {
        assumeTrue(
                Components.atHand() == Components.REAL,
                "data are restored in a pod, which a sandbox has not");
    }

    /**
     * Two of three lose their data. Nothing is given up before they are known to be gone; then the
     * survivor goes on with every object, and the others join again. A member of the old cluster
     * that comes back finds no other member.
     */
    @Test
    void theSurvivorOfThreeGoesOnWithEverything() {
        try (var lab = Lab.withNodes(3)) {
            var cluster = new Cluster(lab, Settings.standard());
            var survivor = lab.node(1);
            var lost = List.of(lab.node(2), lab.node(3));
            cluster.init(Tool.KJADM);
            lost.forEach(node -> cluster.joinControlPlane(Tool.KJADM, node));
            cluster.awaitReady(survivor, lost.get(0), lost.get(1));
            assertDiagnosis("Healthy", 0, survivor);
            for (int i = 0; i < OBJECTS; i++) {
                survivor.shell(
                        ADMIN + "kubectl create configmap object-%d -n default".formatted(i));
            }
            String objects = configMaps(survivor);

            lost.forEach(node -> node.shell("systemctl stop kubelet; pkill -9 -x etcd; "
                    + "pkill -9 -x kube-apiserver; mv /var/lib/etcd/member /root/gone"));
            Eventually.passes(SETTLING, () -> assertDiagnosis("QuorumLostForNow", 1, survivor));
            var refused = survivor.exec("kjadm", "etcd", "recover", "--apply", "--yes");
            refused.failsFor("there is nothing to apply");

            var evidence =
                    lost.get(0).run("kjadm", "etcd", "recover", "--collect").stdout();
            survivor.write("/root/node2.json", evidence);
            String[] decided = {
                "--evidence",
                "/root/node2.json",
                "--declare-lost",
                lost.get(0).name(),
                "--declare-lost",
                lost.get(1).name()
            };
            assertDiagnosis("QuorumLostForGood", 1, survivor, decided);

            long begun = System.nanoTime();
            var told =
                    survivor.exec(words(List.of("--apply", "--yes"), decided)).orFail();
            System.out.printf("[recover] survivor: %.1f s%n", since(begun));
            assertEquals(objects, configMaps(survivor), told::everything);
            assertFalse(
                    survivor.exists("/etc/kubernetes/tmp/kjadm-restore/journal.json"),
                    told::everything);

            // one of the others has its old data after all
            lost.get(1).shell("mv /root/gone /var/lib/etcd/member; systemctl start kubelet");
            Eventually.passes(SETTLING, () -> assertDiagnosis("Split", 1, lost.get(1)));
            assertDiagnosis("Healthy", 0, survivor);

            for (var node : lost) {
                cluster.reset(Tool.KJADM, node).orFail();
                cluster.forget(node);
                cluster.renewCredentials();
                cluster.joinControlPlane(Tool.KJADM, node);
            }
            cluster.awaitReady(survivor, lost.get(0), lost.get(1));
            System.out.printf("[recover] three nodes: %.1f s%n", since(begun));
            assertEquals(objects, configMaps(lost.get(1)));
            Eventually.passes(SETTLING, () -> assertDiagnosis("Healthy", 0, survivor));
        }
    }

    /** F87: etcd comes back by itself, and nobody has to do anything. */
    @Test
    void aPowerCutOfAllNodesNeedsNobody() {
        try (var lab = Lab.withNodes(3)) {
            var cluster = new Cluster(lab, Settings.standard());
            var nodes = List.of(lab.node(1), lab.node(2), lab.node(3));
            cluster.init(Tool.KJADM);
            nodes.stream().skip(1).forEach(node -> cluster.joinControlPlane(Tool.KJADM, node));
            cluster.awaitReady(nodes.toArray(Node[]::new));
            nodes.getFirst().shell(ADMIN + "kubectl create configmap before -n default");

            nodes.forEach(node -> node.shell(
                    "systemctl stop kubelet; pkill -9 -x etcd; " + "pkill -9 -x kube-apiserver"));
            nodes.getFirst().shell("systemctl start kubelet");
            Eventually.passes(
                    SETTLING, () -> assertDiagnosis("QuorumLostForNow", 1, nodes.getFirst()));
            nodes.stream().skip(1).forEach(node -> node.shell("systemctl start kubelet"));
            Eventually.passes(SETTLING, () -> assertDiagnosis("Healthy", 0, nodes.getLast()));
            Eventually.passes(
                    SETTLING, () -> assertTrue(configMaps(nodes.getLast()).contains("before")));
        }
    }

    private static double since(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }

    private static String[] words(List<String> flags, String... more) {
        return Stream.of(List.of("kjadm", "etcd", "recover"), flags, List.of(more))
                .flatMap(List::stream)
                .toArray(String[]::new);
    }

    private static void assertDiagnosis(String diagnosis, int status, Node node, String... more) {
        var outcome = node.exec(words(List.of("-o", "jsonpath={.diagnosis}"), more));
        assertEquals(diagnosis, outcome.stdout().strip(), outcome::everything);
        assertEquals(status, outcome.status(), outcome::everything);
    }

    private static String configMaps(Node node) {
        return node.shell(
                ADMIN + "kubectl get cm -n default -o jsonpath='{.items[*].metadata.name}'");
    }
}
