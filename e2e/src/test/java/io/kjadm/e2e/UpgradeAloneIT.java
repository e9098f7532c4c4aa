package io.kjadm.e2e;

import static io.kjadm.e2e.cluster.UpgradeLab.NEXT;
import static io.kjadm.e2e.cluster.UpgradeLab.SETTLING;
import static io.kjadm.e2e.cluster.UpgradeLab.manifests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.UpgradeLab;
import io.kjadm.e2e.cluster.UpgradeLab.EtcdStep;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A control plane of one node: while its etcd or API server is exchanged nothing answers. */
@NeedsLab
final class UpgradeAloneIT {
    private static final String SCHEDULER = "/etc/kubernetes/manifests/kube-scheduler.yaml";

    @BeforeAll
    static void takesLong() {
        Components.playOnDemandInSandbox();
    }

    @Test
    void anEtcdWithoutItsProgramGoesBackAndThenForward() {
        var etcd = EtcdStep.patch();
        try (var upgrade = UpgradeLab.withEtcd(etcd, 1, 1)) {
            var cluster = upgrade.cluster();
            var node = upgrade.node(1);
            upgrade.wantEtcd(etcd);
            var before = manifests(node);
            node.breakEtcd(etcd.next());

            var told = upgrade.apply(node);

            System.out.printf("[upgrade] alone, rolled back: %.1f s%n", seconds(told));
            told.failsFor("as it was before");
            assertEquals(before, manifests(node));
            cluster.etcdctl(node, "endpoint health");

            node.mendEtcd();
            node.shell("sed -i 's/^    - kube-scheduler$/&\\n    - --v=1/' " + SCHEDULER);
            var forward = upgrade.apply(node, "--adopt-changes").orFail();
            System.out.printf("[upgrade] alone: %.1f s%n", seconds(forward));
            assertUpgraded(upgrade, node);
            assertTrue(node.read(Node.ETCD_MANIFEST).contains("etcd:" + etcd.next()));
            assertTrue(node.read(SCHEDULER).contains("- --v=1"), forward::everything);
            assertTrue(
                    node.shell("ls /etc/kubernetes/patches").startsWith("kube-scheduler-adopted"),
                    forward::everything);
            cluster.etcdctl(node, "endpoint health");
        }
    }

    @Test
    void anEtcdOfSomebodyElsesIsLetBe() {
        try (var upgrade = UpgradeLab.withExternalEtcd(ExternalEtcdIT::startEtcd)) {
            var node = upgrade.node(1);

            var told = upgrade.apply(node).orFail();

            System.out.printf("[upgrade] external etcd: %.1f s%n", seconds(told));
            assertUpgraded(upgrade, node);
            assertFalse(node.exists(Node.ETCD_MANIFEST), told::everything);
        }
    }

    /** F103: it is held up before it has read its database, for three times the limit. */
    @Test
    void anEtcdThatLoadsForLongIsGivenTheTime() {
        var etcd = EtcdStep.patch();
        try (var upgrade = UpgradeLab.withEtcd(etcd, 1, 1)) {
            var node = upgrade.node(1);
            upgrade.wantEtcd(etcd);
            node.write("/root/upgrade.yaml", """
                    apiVersion: kubeadm.k8s.io/v1beta4
                    kind: UpgradeConfiguration
                    apply:
                      kubernetesVersion: %s
                      forceUpgrade: true
                      ignorePreflightErrors: [SystemVerification]
                    timeouts:
                      upgradeManifests: 30s
                    """.formatted(UpgradeLab.NEXT));
            var old = node.shell("pgrep -x etcd").strip();

            var run = node.start(
                    UpgradeLab.LONG, "kjadm", "upgrade", "apply", "--config", "/root/upgrade.yaml");
            var loading = node.shell("""
                            for i in $(seq 1200); do
                                pid=$(pgrep -n -x etcd || true)
                                if [ -n "$pid" ] && [ "$pid" != %s ]; then kill -STOP "$pid"; echo "$pid"; exit; fi
                                sleep 0.05
                            done
                            """.formatted(old)).strip();
            assertFalse(loading.isEmpty(), run::output);
            node.shell("sleep 90; kill -CONT " + loading);

            var told = run.outcome().orFail();
            System.out.printf("[upgrade] etcd held up for 90 s: %.1f s%n", seconds(told));
            assertEquals(loading, node.shell("pgrep -x etcd").strip(), told::everything);
            assertUpgraded(upgrade, node);
            assertTrue(node.read(Node.ETCD_MANIFEST).contains("etcd:" + etcd.next()));
        }
    }

    /** F95: etcd 3.6 would not start with it. */
    @Test
    void whatTheOldApiOfEtcdHasLeftIsFoundBeforeAnythingIsChanged() {
        var etcd = EtcdStep.minor();
        try (var upgrade = UpgradeLab.withEtcd(etcd, 1, 1)) {
            var cluster = upgrade.cluster();
            var node = upgrade.node(1);
            var manifest = node.read(Node.ETCD_MANIFEST);
            assertEquals(2, askOldApi(node), "it is not served unless that is asked for");
            restartEtcd(cluster, node, manifest.replace("- etcd\n", "- etcd\n    - --enable-v2\n"));
            assertEquals(0, askOldApi(node));
            restartEtcd(cluster, node, manifest);
            upgrade.wantEtcd(etcd);
            cluster.awaitReady(node);

            var told = upgrade.apply(node, "--ignore-preflight-errors=EtcdPatchFirst");

            told.failsFor("[ERROR EtcdV2Content]");
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

    private static void assertUpgraded(UpgradeLab upgrade, Node node) {
        upgrade.assertVersion(node, NEXT);
        upgrade.cluster().awaitReady(node);
    }

    private static double seconds(Outcome outcome) {
        return outcome.took().toMillis() / 1000.0;
    }
}
