package io.kjadm.e2e;

import static io.kjadm.e2e.cluster.UpgradeLab.NEXT;
import static io.kjadm.e2e.cluster.UpgradeLab.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.UpgradeLab;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** {@code kjadm upgrade plan} and {@code diff}, which change nothing. */
@NeedsLab
@Tag("long")
final class UpgradePlanIT {
    private static final Duration LEASES = Duration.ofSeconds(60);
    private static final String SCHEDULER = "/etc/kubernetes/manifests/kube-scheduler.yaml";

    @Test
    void aHealthyClusterIsPlannedAndEveryFaultIsNamed() throws JsonProcessingException {
        // a version that the members have, whichever etcd is at hand
        try (var upgrade = UpgradeLab.upToDate(Components.etcdTag("3.5."))) {
            var cluster = upgrade.cluster();
            var node = upgrade.node(1);
            Eventually.passes(LEASES, () -> plan(node, NEXT).orFail());

            var before = files(node);
            var text = plan(node, NEXT).orFail().stdout();
            assertTrue(text.contains("\tkjadm upgrade apply " + NEXT + "\n"), text);
            assertTrue(text.contains("[WARNING EtcdQuorumMargin]"), text);
            var json = new ObjectMapper()
                    .readTree(plan(node, NEXT, "-o", "json").orFail().stdout());
            assertEquals("UpgradePlan", json.path("kind").asText(), json::toString);
            assertTrue(json.path("mayGoOn").asBoolean(), json::toString);
            assertEquals(
                    "kjadm upgrade apply " + NEXT,
                    json.path("steps").path(0).path("command").asText(),
                    json::toString);
            // the founder's manifest would found another cluster if its data were lost
            assertTrue(
                    diff(node).stdout().contains("+    - --initial-cluster-state=existing\n"),
                    () -> diff(node).everything());
            assertFalse(
                    diff(node).stdout().contains(SCHEDULER), () -> diff(node).everything());

            spoil(cluster, node);
            var spoiled = plan(node, "v1.38.0");
            assertEquals(1, spoiled.status(), spoiled::everything);
            for (var rule : List.of(
                    "ProgramMinorTooOld",
                    "RemovedFeatureGate",
                    "ControlPlaneNodesReady",
                    "EtcdLearners",
                    "StaticPodManifest")) {
                assertTrue(spoiled.stdout().contains("[ERROR " + rule + "]"), spoiled::everything);
            }

            node.run("mv", "/root/scheduler.yaml", SCHEDULER);
            node.run("sed", "-i", "s/--leader-elect=true/--leader-elect=false/", SCHEDULER);
            assertTrue(
                    diff(node).stdout().contains("+    - --leader-elect=true"),
                    () -> diff(node).everything());
            node.run("sed", "-i", "s/--leader-elect=false/--leader-elect=true/", SCHEDULER);
            assertEquals(before, files(node));
        }
    }

    private static void spoil(Cluster cluster, Node node) {
        node.run("mv", SCHEDULER, "/root/scheduler.yaml");
        cluster.etcdctl(node, "member add gone --learner --peer-urls=https://192.0.2.1:2380");
        try (var client = cluster.client()) {
            client.resource(new NodeBuilder()
                            .withNewMetadata()
                            .withName("gone")
                            .addToLabels("node-role.kubernetes.io/control-plane", "")
                            .endMetadata()
                            .build())
                    .create();
            var maps = client.configMaps().inNamespace("kube-system");
            var map = maps.withName("kubeadm-config").get();
            map.getData()
                    .merge(
                            "ClusterConfiguration",
                            "scheduler: {extraArgs: [{name: feature-gates, value: ComponentSLIs=true}]}\n",
                            (former, more) -> former.replaceAll("(?m)^scheduler:.*\n", "") + more);
            maps.resource(map).update();
        }
    }

    private static Outcome plan(Node node, String... words) {
        var command = new java.util.ArrayList<>(List.of("kjadm", "upgrade", "plan"));
        command.addAll(List.of(words));
        return node.exec(command.toArray(String[]::new));
    }

    private static Outcome diff(Node node) {
        return node.exec("kjadm", "upgrade", "diff").orFail();
    }
}
