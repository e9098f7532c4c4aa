package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.KubeVersions;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.stream.Stream;

/** A control plane of one node: while its etcd or API server is exchanged nothing answers. */
@NeedsLab
final class UpgradeAloneIT {
    private static final String FORMER =
            System.getenv().getOrDefault("KJADM_KUBE_FORMER_VERSION", "v1.35.6");
    private static final String NEXT = Components.kubernetesVersion();
    private static final String SCHEDULER = "/etc/kubernetes/manifests/kube-scheduler.yaml";
    private static final Duration SETTLING = Duration.ofMinutes(2);

    @BeforeAll
    static void needsContainers() {
        assumeTrue(
                Components.atHand() == Components.REAL,
                "pods are watched in a container runtime, which a sandbox has not");
        assumeTrue(Components.kubernetesAtHand(FORMER), "no Kubernetes " + FORMER);
    }

    @Test
    void anEtcdWithoutItsProgramGoesBackAndThenForward() {
        var former = Components.etcdTag("3.6.8");
        var next = Components.etcdTag("3.6.14");
        try (var lab = Lab.withNodes(1, KubeVersions.before(FORMER))) {
            var cluster = new Cluster(
                    lab, Settings.standard().withKubernetes(FORMER).withEtcdTag(former));
            var node = lab.node(1);
            cluster.init(Tool.KJADM);
            cluster.awaitReady(node);
            cluster.configure(text -> text.replace(former, next));
            var before = node.shell("sha256sum /etc/kubernetes/manifests/*");
            node.breakEtcd(next);

            var told = apply(node);

            System.out.printf("[upgrade] alone, rolled back: %.1f s%n", seconds(told));
            assertEquals(1, told.status(), told::everything);
            assertTrue(told.stderr().contains("as it was before"), told::everything);
            assertEquals(before, node.shell("sha256sum /etc/kubernetes/manifests/*"));
            cluster.etcdctl(node, "endpoint health");

            node.mendEtcd();
            node.shell("sed -i 's/^    - kube-scheduler$/&\\n    - --v=1/' " + SCHEDULER);
            var forward = apply(node, "--adopt-changes").orFail();
            System.out.printf("[upgrade] alone: %.1f s%n", seconds(forward));
            assertUpgraded(cluster, node);
            assertTrue(node.read(Node.ETCD_MANIFEST).contains("etcd:" + next));
            assertTrue(node.read(SCHEDULER).contains("- --v=1"), forward::everything);
            assertTrue(
                    node.shell("ls /etc/kubernetes/patches").startsWith("kube-scheduler-adopted"),
                    forward::everything);
            cluster.etcdctl(node, "endpoint health");
        }
    }

    @Test
    void anEtcdOfSomebodyElsesIsLetBe() {
        try (var lab = Lab.withNodes(2, KubeVersions.before(FORMER))) {
            var etcd = ExternalEtcdIT.startEtcd(lab.node(2));
            var cluster = new Cluster(
                    lab,
                    Settings.standard()
                            .withKubernetes(FORMER)
                            .withEtcd("{external: {endpoints: [\"" + etcd + "\"]}}"));
            var node = lab.node(1);
            cluster.init(Tool.KJADM);
            cluster.awaitReady(node);

            var told = apply(node).orFail();

            System.out.printf("[upgrade] external etcd: %.1f s%n", seconds(told));
            assertUpgraded(cluster, node);
            assertFalse(node.exists(Node.ETCD_MANIFEST), told::everything);
        }
    }

    /** F95: etcd 3.6 would not start with it. */
    @Test
    void whatTheOldApiOfEtcdHasLeftIsFoundBeforeAnythingIsChanged() {
        var former = Components.etcdTag("3.5.30");
        var next = Components.etcdTag("3.6.14");
        try (var lab = Lab.withNodes(1, KubeVersions.before(FORMER))) {
            var cluster = new Cluster(
                    lab, Settings.standard().withKubernetes(FORMER).withEtcdTag(former));
            var node = lab.node(1);
            cluster.init(Tool.KJADM);
            cluster.awaitReady(node);
            var manifest = node.read(Node.ETCD_MANIFEST);
            assertEquals(2, askOldApi(node), "it is not served unless that is asked for");
            restartEtcd(cluster, node, manifest.replace("- etcd\n", "- etcd\n    - --enable-v2\n"));
            assertEquals(0, askOldApi(node));
            restartEtcd(cluster, node, manifest);
            cluster.configure(text -> text.replace(former, next));
            cluster.awaitReady(node);

            var told = apply(node, "--ignore-preflight-errors=EtcdPatchFirst");

            assertEquals(1, told.status(), told::everything);
            assertTrue(told.stderr().contains("[ERROR EtcdV2Content]"), told::everything);
            assertTrue(told.stderr().contains("--snapshot-count=1"), told::everything);
            assertEquals(manifest, node.read(Node.ETCD_MANIFEST));
        }
    }

    private static void restartEtcd(Cluster cluster, Node node, String manifest) {
        node.write("/root/etcd.yaml", manifest);
        var before = node.shell("pgrep -x etcd || true");
        node.shell("mv /root/etcd.yaml " + Node.ETCD_MANIFEST);
        Eventually.passes(SETTLING, () -> {
            assertNotEquals(before, node.shell("pgrep -x etcd || true"));
            cluster.etcdctl(node, "endpoint health");
        });
    }

    private static int askOldApi(Node node) {
        return node.exec("bash", "-c", """
                cd /etc/kubernetes/pki/etcd && curl -s -f -o /dev/null --cacert ca.crt --cert peer.crt --key peer.key \
                    -X PUT https://127.0.0.1:2379/v2/keys/town -d value=Bern || exit 2""").status();
    }

    private static Outcome apply(Node node, String... more) {
        return node.exec(Stream.concat(
                        Stream.of(
                                "kjadm",
                                "upgrade",
                                "apply",
                                NEXT,
                                "--yes",
                                "--ignore-preflight-errors=SystemVerification"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    private static void assertUpgraded(Cluster cluster, Node node) {
        Eventually.passes(SETTLING, () -> {
            try (var client = cluster.client(node)) {
                assertEquals(NEXT, client.getKubernetesVersion().getGitVersion());
            }
        });
        cluster.awaitReady(node);
    }

    private static double seconds(Outcome outcome) {
        return outcome.took().toMillis() / 1000.0;
    }
}
