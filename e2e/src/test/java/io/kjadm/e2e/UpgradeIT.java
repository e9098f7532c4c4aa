package io.kjadm.e2e;

import static io.kjadm.e2e.cluster.UpgradeLab.FORMER;
import static io.kjadm.e2e.cluster.UpgradeLab.JOURNAL;
import static io.kjadm.e2e.cluster.UpgradeLab.NEXT;
import static io.kjadm.e2e.cluster.UpgradeLab.SETTLING;
import static io.kjadm.e2e.cluster.UpgradeLab.done;
import static io.kjadm.e2e.cluster.UpgradeLab.files;
import static io.kjadm.e2e.cluster.UpgradeLab.manifests;
import static io.kjadm.e2e.cluster.UpgradeLab.noted;
import static io.kjadm.e2e.cluster.UpgradeLab.told;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import io.kjadm.e2e.lab.Running;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Three control planes and a worker go from one minor of Kubernetes, and one version of etcd, to
 * the next, with everything that may happen on the way. Clients write all the while: through each
 * node's etcd member, and through the balancer of the API servers.
 */
@Order(3)
@NeedsLab
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class UpgradeIT {
    private static final String KUBELET_CONF = "/etc/kubernetes/kubelet.conf";
    private static final Duration NAMED_WITHIN = Duration.ofSeconds(60);
    private static final int KILLED = 137;
    /** Or a handful, where Kubernetes is a stand-in and time is short. */
    private static final boolean WHOLE = Components.playsAll();

    private EtcdStep etcd;
    private UpgradeLab upgrade;
    private Cluster cluster;
    private ClusterWriters writers;

    @BeforeAll
    void makeTheCluster() {
        etcd = EtcdStep.patch();
        upgrade = UpgradeLab.withEtcd(etcd, WHOLE ? 4 : 3, 3);
        cluster = upgrade.cluster();
        if (WHOLE) {
            cluster.joinWorker(Tool.KJADM, upgrade.node(4));
        }
        cluster.awaitReady(upgrade.lab().nodes().toArray(Node[]::new));
        writers = new ClusterWriters(cluster, controlPlanes());
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

    private List<Node> controlPlanes() {
        return upgrade.lab().nodes().subList(0, 3);
    }

    @Tag("long")
    @Order(1)
    @Test
    void aDryRunChangesNothing() {
        var node = upgrade.node(1);
        var before = files(node);

        var told = upgrade.apply(node, "--dry-run").orFail();

        assertEquals(before, files(node));
        assertFalse(node.exists(JOURNAL), told::everything);
        assertEquals(Map.of(), unlike(FORMER));
        var left = node.exec("kjadm", "upgrade", "node", "phase", "kubelet-config", "--dry-run");
        assertEquals(0, left.status(), left::everything);
        assertEquals(before, files(node));
    }

    @Tag("long")
    @Order(2)
    @Test
    void anEtcdWithoutItsProgramIsRolledBack() {
        Components.playOnDemandInSandbox();
        var node = upgrade.node(1);
        node.breakEtcd(etcd.next());
        try {
            assertRolledBack(node, "etcd");
        } finally {
            node.mendEtcd();
        }
    }

    @Tag("long")
    @Order(3)
    @Test
    void anApiServerWithAFlagThatItDoesNotKnowIsRolledBackAndEtcdWithIt() {
        var node = upgrade.node(1);
        upgrade.wantWrongFlag();
        try {
            var told = assertRolledBack(node, "kube-apiserver");
            assertTrue(told.stderr().contains("no-such-flag"), told::everything);
        } finally {
            upgrade.wantNoWrongFlag();
        }
    }

    /** Each run is killed at another moment, and the same command goes on. */
    @Order(4)
    @Test
    void killedAtAnyMomentItEndsWithTheSameCommand() {
        var node = upgrade.node(1);
        var span = writers.begin();
        var moments = List.of(
                "[ -e %s ]".formatted(JOURNAL),
                noted("\"snapshot\""),
                noted("etcd.yaml"),
                done("etcd"),
                noted("kube-apiserver.yaml"),
                done("kube-apiserver"),
                noted("kube-scheduler.yaml"));
        for (var moment : WHOLE ? moments : List.of(noted("etcd.yaml"))) {
            var run = upgrade.startApply(node);
            assertTrue(run.signalWhen(moment, "KILL"), () -> moment + " " + run.output());
            assertEquals(KILLED, run.outcome().status(), run::output);
        }
        var last = upgrade.apply(node, "-o", "json").orFail();
        var result = ResultsIT.result(last);
        assertTrue(result.path("succeeded").asBoolean(), result::toString);
        assertTrue(
                result.path("phases").findValuesAsText("name").contains("control-plane"),
                result::toString);
        System.out.printf("[upgrade] the run after the last kill: %.1f s%n", seconds(last));

        assertFalse(node.exists(JOURNAL), last::everything);
        upgrade.assertVersion(node, NEXT);
        assertUndisturbed(span, "node 1, killed and run again", node);
    }

    @Order(5)
    @Test
    void ofTwoNodesAtOnceTheSecondWaits() {
        if (WHOLE) {
            pointAtTheSharedEndpoint(upgrade.node(2));
        }
        var span = writers.begin();
        var runs = Stream.of(2, 3).map(i -> upgrade.startNode(upgrade.node(i))).toList();
        var told = runs.stream().map(Running::outcome).toList();
        told.forEach(one -> {
            one.orFail();
            System.out.printf("[upgrade] node, two at once: %.1f s%n", seconds(one));
        });
        assertEquals(
                1,
                told.stream()
                        .filter(one ->
                                one.everything().contains("waiting for the etcd membership lock"))
                        .count(),
                () -> told.get(0).everything() + told.get(1).everything());
        span.report("nodes 2 and 3", upgrade.node(2));
        upgrade.assertVersion(upgrade.node(2), NEXT);
        upgrade.assertVersion(upgrade.node(3), NEXT);
        var conf = upgrade.node(2).read(KUBELET_CONF);
        assertTrue(
                conf.contains("server: https://%s\n".formatted(upgrade.node(2).at(6443))), conf);
    }

    /** As the kubelet of a node does that an older kubeadm has joined. */
    private void pointAtTheSharedEndpoint(Node node) {
        node.shell("sed -i 's|server: .*|server: https://%s|' %s; systemctl restart kubelet"
                .formatted(cluster.endpoint(), KUBELET_CONF));
        cluster.awaitReady(upgrade.lab().nodes().toArray(Node[]::new));
    }

    @Tag("long")
    @Order(6)
    @Test
    void aWorkerGetsItsKubeletsConfiguration() {
        assumeTrue(WHOLE, "in the sandbox a worker is there only with -Dkjadm.faults=all");
        var told = upgrade.startNode(upgrade.node(4), "--restart-kubelet")
                .outcome()
                .orFail();
        System.out.printf("[upgrade] worker: %.1f s%n", seconds(told));
        cluster.awaitReady(upgrade.lab().nodes().toArray(Node[]::new));
    }

    @Order(7)
    @Test
    void nothingIsLeftAndNothingWasLost() {
        Eventually.passes(SETTLING, () -> assertEquals(Map.of(), unlike(NEXT)));
        for (int i = 1; i <= 3; i++) {
            var node = upgrade.node(i);
            var manifest = node.read(Node.ETCD_MANIFEST);
            assertTrue(manifest.contains("--initial-cluster-state=existing"), manifest);
            controlPlanes()
                    .forEach(one -> assertTrue(manifest.contains(one.name() + "=https"), manifest));
            assertTrue(manifest.contains("etcd:" + etcd.next()), manifest);
            Eventually.passes(SETTLING, () -> cluster.etcdctl(node, "endpoint health"));
        }
        cluster.assertVoters(upgrade.node(1), upgrade.node(2), upgrade.node(3));
        assertEquals(List.of(), writers.lost(upgrade.node(2)));
        assertEquals(0, writers.missed());
    }

    private static void assertUndisturbed(ClusterWriters.Span span, String what, Node except) {
        span.report(what, except);
        span.requireServed(except);
    }

    private Outcome assertRolledBack(Node node, String component) {
        var before = manifests(node);
        var span = writers.begin();
        var run = upgrade.startApply(node);
        var exchanged = told(run, "Replaced the manifest of " + component);
        var named = told(run, "this node's " + component);
        var told = run.outcome();
        // a refusal would end with the same status, and change as little
        assertTrue(
                told.everything().contains("Replaced the manifest of " + component),
                told::everything);
        System.out.printf(
                "[upgrade] rolled back, %s: cause named after %.1f s, %.1f s in all%n",
                component, (named - exchanged) / 1e9, seconds(told));
        assertEquals(1, told.status(), told::everything);
        assertTrue(named - exchanged <= NAMED_WITHIN.toNanos(), told::everything);
        assertEquals(before, manifests(node));
        assertFalse(node.exists(JOURNAL), told::everything);
        Eventually.passes(SETTLING, () -> assertEquals(Map.of(), unlike(FORMER)));
        Eventually.passes(SETTLING, () -> cluster.etcdctl(node, "endpoint health --cluster"));
        assertUndisturbed(span, "rolled back, " + component, node);
        return told;
    }

    /** The API servers' pods that have another image, by name. */
    private Map<String, String> unlike(String version) {
        try (var client = cluster.client()) {
            return client
                    .pods()
                    .inNamespace("kube-system")
                    .withLabel("component", "kube-apiserver")
                    .list()
                    .getItems()
                    .stream()
                    .filter(pod -> !pod.getSpec()
                            .getContainers()
                            .getFirst()
                            .getImage()
                            .endsWith(":" + version))
                    .collect(Collectors.toMap(
                            pod -> pod.getMetadata().getName(),
                            pod -> pod.getSpec().getContainers().getFirst().getImage()));
        }
    }

    private static double seconds(Outcome outcome) {
        return outcome.took().toMillis() / 1000.0;
    }
}
