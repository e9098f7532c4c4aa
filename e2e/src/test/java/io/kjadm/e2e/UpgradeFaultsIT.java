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
import java.util.stream.Stream;

/**
 * What the failure catalogue promises of upgrades, where the cluster also goes from etcd 3.5 to
 * 3.6: three control planes, one after the other. The numbers are the catalogue's.
 */
@Order(4)
@NeedsLab
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class UpgradeFaultsIT {
    private static final String FORMER =
            System.getenv().getOrDefault("KJADM_KUBE_FORMER_VERSION", "v1.35.6");
    private static final String NEXT = Components.kubernetesVersion();
    private static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-upgrade/journal.json";
    private static final Duration SETTLING = Duration.ofMinutes(2);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final String WRONG_FLAG =
            "\n  extraArgs:\n  - name: no-such-flag\n    value: \"1\"";

    /** etcd asks for a later patch release of 3.5 before 3.6, and none is packaged. */
    private static final String IGNORED = "SystemVerification,EtcdPatchFirst";

    private String nextEtcd;
    private Lab lab;
    private Cluster cluster;
    private ClusterWriters writers;

    @BeforeAll
    void makeTheCluster() {
        assumeTrue(
                Components.atHand() == Components.REAL,
                "pods are watched in a container runtime, which a sandbox has not");
        assumeTrue(Components.kubernetesAtHand(FORMER), "no Kubernetes " + FORMER);
        var formerEtcd = Components.etcdTag("3.5.30");
        nextEtcd = Components.etcdTag("3.6.14");
        lab = Lab.withNodes(3, KubeVersions.before(FORMER));
        cluster = new Cluster(
                lab, Settings.standard().withKubernetes(FORMER).withEtcdTag(formerEtcd));
        cluster.init(Tool.KJADM);
        cluster.joinControlPlane(Tool.KJADM, lab.node(2));
        cluster.joinControlPlane(Tool.KJADM, lab.node(3));
        cluster.awaitReady(lab.nodes().toArray(Node[]::new));
        writers = new ClusterWriters(cluster, lab.nodes());
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
    void f92WhileAnotherVoterIsDownNothingIsChanged() {
        var other = lab.node(3);
        other.shell("mv %s /root/etcd.yaml".formatted(Node.ETCD_MANIFEST));
        try {
            Eventually.passes(
                    SETTLING,
                    () -> assertFalse(
                            cluster.tryEtcdctl(other, "endpoint health").status() == 0));
            assertRefused("EtcdVoters", IGNORED);
        } finally {
            other.shell("mv /root/etcd.yaml " + Node.ETCD_MANIFEST);
        }
        Eventually.passes(
                SETTLING, () -> cluster.etcdctl(lab.node(1), "endpoint health --cluster"));
        // its API server and its kubelet took part in that
        cluster.awaitReady(lab.nodes().toArray(Node[]::new));
        cluster.awaitControlPlanePods(lab.nodes().toArray(Node[]::new));
    }

    @Order(2)
    @Test
    void f93WithoutRoomForTheSnapshotNothingIsChanged() {
        var node = lab.node(1);
        node.shell(
                "mkdir -p /etc/kubernetes/tmp && mount -t tmpfs -o size=64k none /etc/kubernetes/tmp");
        try {
            assertRefused("FreeSpace", IGNORED);
        } finally {
            node.shell("umount /etc/kubernetes/tmp");
        }
    }

    @Order(3)
    @Test
    void f94ThePatchReleaseThatComesFirstIsNamed() {
        assertRefused("EtcdPatchFirst", "SystemVerification");
    }

    @Order(4)
    @Test
    void f98AnApiThatIsAwayForMinutesIsNotMissed() {
        var node = lab.node(1);
        var run = start(node, "apply", NEXT, "--yes");
        awaitSaid(run, "Exchanged the manifest of etcd");
        node.block("-d %s -p tcp --dport 6443".formatted(lab.balancer()));
        try {
            awaitSaid(run, "Exchanged the manifest of kube-scheduler");
        } finally {
            node.unblock();
        }
        var told = run.outcome().orFail();
        System.out.printf("[upgrade] while the API was away: %.1f s%n", seconds(told));
        assertUpgraded(node);
    }

    @Order(5)
    @Test
    void f100OnceTheClusterVersionHasRisenOnlyTheWayForwardIsOffered() {
        System.out.printf(
                "[upgrade] node 2, etcd 3.5 to 3.6: %.1f s%n",
                seconds(start(lab.node(2), "node").outcome().orFail()));
        var last = lab.node(3);
        cluster.configure(text -> text.replaceFirst("(?m)^apiServer:", "apiServer:" + WRONG_FLAG));
        var failed = start(last, "node").outcome();
        assertEquals(1, failed.status(), failed::everything);
        assertTrue(failed.stderr().contains("no-such-flag"), failed::everything);
        assertTrue(failed.stderr().contains("cannot come back on this node"), failed::everything);
        assertTrue(last.read(Node.ETCD_MANIFEST).contains("etcd:" + nextEtcd));
        Eventually.passes(
                SETTLING, () -> cluster.etcdctl(lab.node(1), "endpoint health --cluster"));

        cluster.configure(text -> text.replace(WRONG_FLAG, ""));
        System.out.printf(
                "[upgrade] node 3, forward: %.1f s%n",
                seconds(start(last, "node").outcome().orFail()));
        lab.nodes().forEach(this::assertUpgraded);
        cluster.assertVoters(lab.nodes().toArray(Node[]::new));
        lab.nodes().forEach(node -> assertEquals(List.of(), writers.lost(node)));
        assertEquals(0, writers.missed());
    }

    /** Nothing is different on node 1, and what is in the way is named. */
    private void assertRefused(String rule, String ignored) {
        var node = lab.node(1);
        var before = node.shell("find /etc/kubernetes -type f | sort | xargs sha256sum");
        var told = node.exec(words("upgrade", ignored, "apply", NEXT, "--yes"));
        assertEquals(1, told.status(), told::everything);
        assertTrue(told.stderr().contains("[ERROR " + rule + "]"), told::everything);
        assertEquals(before, node.shell("find /etc/kubernetes -type f | sort | xargs sha256sum"));
    }

    private static Running start(Node node, String... words) {
        return node.start(LONG, words("upgrade", IGNORED, words));
    }

    private static String[] words(String command, String ignored, String... words) {
        return Stream.of(
                        Stream.of("kjadm", command),
                        Stream.of(words),
                        Stream.of("--ignore-preflight-errors=" + ignored))
                .flatMap(part -> part)
                .toArray(String[]::new);
    }

    private static void awaitSaid(Running run, String words) {
        Eventually.passes(
                LONG, () -> assertTrue(run.output().contains(words) || run.ended(), run::output));
    }

    private void assertUpgraded(Node node) {
        assertFalse(node.exists(JOURNAL), node::logs);
        assertTrue(node.read(Node.ETCD_MANIFEST).contains("etcd:" + nextEtcd), node::logs);
        Eventually.passes(SETTLING, () -> {
            try (var client = cluster.client(node)) {
                assertEquals(NEXT, client.getKubernetesVersion().getGitVersion());
            }
        });
    }

    private static double seconds(Outcome outcome) {
        return outcome.took().toMillis() / 1000.0;
    }
}
