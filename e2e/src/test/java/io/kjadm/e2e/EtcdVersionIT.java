package io.kjadm.e2e;

import static io.kjadm.e2e.cluster.UpgradeLab.SETTLING;
import static io.kjadm.e2e.cluster.UpgradeLab.noted;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.ClusterWriters;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.UpgradeLab;
import io.kjadm.e2e.cluster.UpgradeLab.EtcdStep;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * etcd gets another version by itself, node after node, and the former one again where that may be,
 * while clients write. In the sandbox one member does, unless all is played.
 */
@NeedsLab
@Tag("long")
final class EtcdVersionIT {

    @Test
    void itGoesUpAndDownAgain() {
        var etcd = EtcdStep.largest();
        try (var upgrade = UpgradeLab.upToDate(etcd, Components.playsAll() ? 3 : 1);
                var writers =
                        new ClusterWriters(upgrade.cluster(), upgrade.lab().nodes())) {
            var cluster = upgrade.cluster();
            refusesWhatIsNoWayUp(upgrade.node(1), etcd);

            goes(upgrade, writers, "upgrade", etcd.next());
            if (etcd.minors()) {
                var minor = minor(etcd.former());
                var early = kjadm(upgrade.node(1), "downgrade", "apply", version(etcd.former()));
                early.failsFor("EtcdDowngradeEnabled");
                kjadm(upgrade.node(1), "downgrade", "validate", minor).orFail();
                kjadm(upgrade.node(1), "downgrade", "enable", minor).orFail();
                goes(upgrade, writers, "downgrade", etcd.former());
            }

            cluster.assertVoters(upgrade.lab().nodes().toArray(Node[]::new));
            assertEquals(List.of(), writers.lost(upgrade.node(1)));
            assertEquals(0, writers.missed());
            cluster.awaitReady(upgrade.lab().nodes().toArray(Node[]::new));
        }
    }

    private static void refusesWhatIsNoWayUp(Node node, EtcdStep etcd) {
        var before = node.read(Node.ETCD_MANIFEST);
        var skipping = kjadm(node, "upgrade", "3.8.0");
        skipping.failsFor("EtcdMinorSkipped");
        var plan = kjadm(node, "upgrade", version(etcd.next()), "--plan", "--soak=5s");
        assertTrue(plan.stdout().contains(version(etcd.next())), plan::everything);
        assertEquals(before, node.read(Node.ETCD_MANIFEST));
    }

    /** The leader's node is last, and the run on the first of the others is killed once. */
    private static void goes(
            UpgradeLab upgrade, ClusterWriters writers, String command, String tag) {
        var cluster = upgrade.cluster();
        var words = Stream.of(
                        command.equals("upgrade")
                                ? Stream.of("upgrade", version(tag))
                                : Stream.of("downgrade", "apply", version(tag)),
                        // etcd 3.5.32 is advised before 3.6, and 3.5.30 is what there is
                        Stream.of(
                                "--soak=5s",
                                "--yes",
                                "--skip-check=EtcdPatchFirst",
                                "--reason=the lab has no other"))
                .flatMap(part -> part)
                .toArray(String[]::new);
        var nodes = upgrade.lab().nodes().stream()
                .sorted(Comparator.comparing(cluster::leads))
                .toList();
        for (var node : nodes) {
            var span = writers.begin();
            if (node.equals(nodes.getFirst())) {
                kill(node, words);
            }
            var told = kjadm(node, words).orFail();
            System.out.printf(
                    "[etcd %s] %s to %s: %.1f s%n",
                    command, node.name(), tag, told.took().toMillis() / 1000.0);
            span.report(command + " of " + node.name(), node);
            span.requireServed(node);
            assertFalse(node.exists(UpgradeLab.JOURNAL), told::everything);
            assertTrue(node.read(Node.ETCD_MANIFEST).contains("etcd:" + tag), told::everything);
            Eventually.passes(SETTLING, () -> cluster.etcdctl(node, "endpoint health"));
        }
        Eventually.passes(
                SETTLING,
                () -> assertTrue(
                        configuration(cluster).contains("imageTag: " + tag),
                        () -> configuration(cluster)));
        nodes.forEach(node -> Eventually.passes(SETTLING, () -> {
            var status = cluster.etcdctl(node, "endpoint status -w fields").stdout();
            assertTrue(status.contains("\"Version\" : \"" + version(tag) + "\""), status);
        }));
    }

    private static void kill(Node node, String... words) {
        var run = node.start(UpgradeLab.LONG, command(words));
        assertTrue(run.signalWhen(noted("etcd.yaml"), "KILL"), run::output);
        assertEquals(137, run.outcome().status(), run::output);
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

    private static Outcome kjadm(Node node, String... words) {
        return node.exec(command(words));
    }

    private static String[] command(String... words) {
        return Stream.concat(Stream.of("kjadm", "etcd"), Stream.of(words)).toArray(String[]::new);
    }

    private static String version(String tag) {
        return tag.substring(0, tag.lastIndexOf('-'));
    }

    private static String minor(String tag) {
        return tag.substring(0, tag.lastIndexOf('.'));
    }
}
