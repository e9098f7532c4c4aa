package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.ClusterWriters;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.KubeVersions;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
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
    private static final boolean REAL = Components.atHand() == Components.REAL;
    private static final String FORMER =
            System.getenv().getOrDefault("KJADM_KUBE_FORMER_VERSION", "v1.35.6");
    private static final String NEXT = Components.kubernetesVersion();
    private static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-upgrade/journal.json";
    private static final Duration SETTLING = Duration.ofSeconds(120);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration NAMED_WITHIN = Duration.ofSeconds(60);
    private static final int KILLED = 137;

    private static final String WRONG_FLAG =
            "\n  extraArgs:\n  - name: no-such-flag\n    value: \"1\"";

    private String formerEtcd;
    private String nextEtcd;
    private Lab lab;
    private Cluster cluster;
    private ClusterWriters writers;

    @BeforeAll
    void makeTheCluster() {
        assumeTrue(REAL, "pods are watched in a container runtime, which a sandbox has not");
        assumeTrue(Components.kubernetesAtHand(FORMER), "no Kubernetes " + FORMER);
        formerEtcd = Components.etcdTag("3.6.8");
        nextEtcd = Components.etcdTag("3.6.14");
        lab = Lab.withNodes(4, KubeVersions.before(FORMER));
        cluster = new Cluster(
                lab, Settings.standard().withKubernetes(FORMER).withEtcdTag(formerEtcd));
        cluster.init(Tool.KJADM);
        cluster.joinControlPlane(Tool.KJADM, lab.node(2));
        cluster.joinControlPlane(Tool.KJADM, lab.node(3));
        cluster.joinWorker(Tool.KJADM, lab.node(4));
        cluster.awaitReady(lab.nodes().toArray(Node[]::new));
        writers = new ClusterWriters(cluster, lab.nodes().subList(0, 3));
        cluster.configure(text -> text.replace(formerEtcd, nextEtcd));
    }

    @AfterAll
    void removeIt() {
        if (writers != null) {
            writers.close();
        }
        if (lab != null) {
            lab.close();
        }
    }

    @Order(1)
    @Test
    void aDryRunChangesNothing() {
        var node = lab.node(1);
        var before = files(node);

        var told = apply(node, "--dry-run").orFail();

        assertEquals(before, files(node));
        assertFalse(node.exists(JOURNAL), told::everything);
        assertEquals(Map.of(), unlike(FORMER));
        var left = node.exec("kjadm", "upgrade", "node", "phase", "kubelet-config", "--dry-run");
        assertEquals(0, left.status(), left::everything);
        assertEquals(before, files(node));
    }

    @Order(2)
    @Test
    void anEtcdWithoutItsProgramIsRolledBack() {
        var node = lab.node(1);
        node.breakEtcd(nextEtcd);
        try {
            assertRolledBack(node, "etcd");
        } finally {
            node.mendEtcd();
        }
    }

    @Order(3)
    @Test
    void anApiServerWithAFlagThatItDoesNotKnowIsRolledBackAndEtcdWithIt() {
        var node = lab.node(1);
        cluster.configure(text -> text.replaceFirst("(?m)^apiServer:", "apiServer:" + WRONG_FLAG));
        try {
            var told = assertRolledBack(node, "kube-apiserver");
            assertTrue(told.stderr().contains("no-such-flag"), told::everything);
        } finally {
            cluster.configure(text -> text.replace(WRONG_FLAG, ""));
        }
    }

    /** Each run is killed at another moment, and the same command goes on. */
    @Order(4)
    @Test
    void killedAtSevenMomentsItEndsWithTheSameCommand() {
        var node = lab.node(1);
        var span = writers.begin();
        var moments = List.of(
                "[ -e %s ]".formatted(JOURNAL),
                noted("\"snapshot\""),
                noted("etcd.yaml"),
                done("etcd"),
                noted("kube-apiserver.yaml"),
                done("kube-apiserver"),
                noted("kube-scheduler.yaml"));
        for (var moment : moments) {
            var run = startApply(node);
            assertTrue(run.signalWhen(moment, "KILL"), () -> moment + " " + run.output());
            assertEquals(KILLED, run.outcome().status(), run::output);
        }
        var last = apply(node).orFail();
        System.out.printf("[upgrade] the run after seven kills: %.1f s%n", seconds(last));

        assertFalse(node.exists(JOURNAL), last::everything);
        assertVersion(node, NEXT);
        assertUndisturbed(span, "node 1, killed seven times", node);
    }

    @Order(5)
    @Test
    void ofTwoNodesAtOnceTheSecondWaits() {
        var span = writers.begin();
        var runs = Stream.of(2, 3)
                .map(i -> lab.node(i)
                        .start(
                                LONG,
                                "kjadm",
                                "upgrade",
                                "node",
                                "--ignore-preflight-errors=SystemVerification"))
                .toList();
        var told = runs.stream().map(Running::outcome).toList();
        told.forEach(one -> {
            one.orFail();
            System.out.printf("[upgrade] node, two at once: %.1f s%n", seconds(one));
        });
        assertEquals(
                1,
                told.stream()
                        .filter(one -> one.everything().contains("waiting for this node's turn"))
                        .count(),
                () -> told.get(0).everything() + told.get(1).everything());
        span.report("nodes 2 and 3", lab.node(2));
        assertVersion(lab.node(2), NEXT);
        assertVersion(lab.node(3), NEXT);
    }

    @Order(6)
    @Test
    void aWorkerGetsItsKubeletsConfiguration() {
        var told = lab.node(4)
                .run(
                        "kjadm",
                        "upgrade",
                        "node",
                        "--restart-kubelet",
                        "--ignore-preflight-errors=SystemVerification");
        System.out.printf("[upgrade] worker: %.1f s%n", seconds(told));
        cluster.awaitReady(lab.nodes().toArray(Node[]::new));
    }

    @Order(7)
    @Test
    void nothingIsLeftAndNothingWasLost() {
        Eventually.passes(SETTLING, () -> assertEquals(Map.of(), unlike(NEXT)));
        for (int i = 1; i <= 3; i++) {
            var node = lab.node(i);
            var manifest = node.read(Node.ETCD_MANIFEST);
            assertTrue(manifest.contains("--initial-cluster-state=existing"), manifest);
            lab.nodes()
                    .subList(0, 3)
                    .forEach(one -> assertTrue(manifest.contains(one.name() + "=https"), manifest));
            assertTrue(manifest.contains("etcd:" + nextEtcd), manifest);
            Eventually.passes(SETTLING, () -> cluster.etcdctl(node, "endpoint health"));
        }
        cluster.assertVoters(lab.node(1), lab.node(2), lab.node(3));
        assertEquals(List.of(), writers.lost(lab.node(2)));
        assertEquals(0, writers.missed());
    }

    private static void assertUndisturbed(ClusterWriters.Span span, String what, Node except) {
        span.report(what, except);
        span.requireServed(except);
    }

    private Outcome assertRolledBack(Node node, String component) {
        var before = manifests(node);
        var span = writers.begin();
        var run = startApply(node);
        var exchanged = told(run, "Exchanged the manifest of " + component);
        var named = told(run, "this node's " + component);
        var told = run.outcome();
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

    /** When a run says something, in nanoseconds. */
    private static long told(Running run, String words) {
        return Eventually.get(LONG, () -> {
            var now = System.nanoTime();
            assertTrue(run.output().contains(words) || run.ended(), run::output);
            return now;
        });
    }

    private static String noted(String words) {
        return "grep -q -- '%s' %s 2> /dev/null".formatted(words, JOURNAL);
    }

    private static String done(String step) {
        return "jq -e '.done | index(\"%s\")' %s > /dev/null 2>&1".formatted(step, JOURNAL);
    }

    private Outcome apply(Node node, String... more) {
        return node.exec(applyWords(more));
    }

    private Running startApply(Node node) {
        return node.start(LONG, applyWords());
    }

    private static String[] applyWords(String... more) {
        return Stream.concat(
                        Stream.of(
                                "kjadm",
                                "upgrade",
                                "apply",
                                NEXT,
                                "--yes",
                                "--ignore-preflight-errors=SystemVerification"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    /** Every file that an upgrade would change. */
    private static String files(Node node) {
        return node.shell(
                "find /etc/kubernetes /var/lib/kubelet/*.* -type f | sort | xargs sha256sum");
    }

    private static String manifests(Node node) {
        return node.shell("sha256sum /etc/kubernetes/manifests/*");
    }

    private void assertVersion(Node node, String version) {
        Eventually.passes(SETTLING, () -> {
            try (var client = cluster.client(node)) {
                assertEquals(version, client.getKubernetesVersion().getGitVersion());
            }
        });
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
