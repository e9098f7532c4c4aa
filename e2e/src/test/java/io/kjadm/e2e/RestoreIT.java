package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Bucket;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Snapshots taken of real clusters and put back when the data are wrong, or gone. */
@NeedsLab
@Tag("long")
final class RestoreIT {
    private static final String LABEL = "made";
    private static final String MEMBER = "/var/lib/etcd/member";
    private static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-restore/journal.json";
    private static final Duration SETTLING = Duration.ofMinutes(3);
    private static final String IDENTITY = "/root/identity.txt";
    /** Of this test alone, and whom its snapshots are encrypted to. */
    private static final String SECRET_KEY =
            "AGE-SECRET-KEY-1KQNAF05K2TLLHWSU5PJU378YSM8S37KQA7WL50GYCVR4MNHUDERQGCJA4C";

    private static final String RECIPIENT =
            "age1472ykywsjcmpld2tv095q5ayxjrdnynrc3hl4gcfmkvc6pqsqudsk5qtr9";

    @Test
    void aClusterOfOneIsRestoredThroughKills() {
        try (var lab = Lab.withNodes(1)) {
            var cluster = new Cluster(lab, Settings.standard());
            var node = lab.node(1);
            cluster.init(Tool.KJADM);
            cluster.awaitReady(node);
            create(cluster, node, "before");
            node.run("kjadm", "etcd", "snapshot", "save");
            create(cluster, node, "after");

            killAt(node, "SET_ASIDE");
            node.run("kjadm", "etcd", "snapshot", "restore", "--undo");
            Eventually.passes(
                    SETTLING, () -> assertEquals("after before", configMaps(cluster, node)));

            var steps = List.of("FETCHED", "STOPPED", "SET_ASIDE", "REBUILT", "SERVING");
            for (var step : Components.playsAll() ? steps : List.of("REBUILT")) {
                killAt(node, step);
            }
            var told = restore(node).orFail();

            assertEquals("before", configMaps(cluster, node), told::everything);
            assertFalse(node.exists(JOURNAL), told::everything);
            assertTrue(
                    node.read(Node.ETCD_MANIFEST).contains("--initial-cluster-state=existing"),
                    told::everything);
            assertEquals(
                    "1",
                    node.shell("ls -d /var/lib/etcd/member.replaced* | wc -l"),
                    told::everything);
            cluster.awaitReady(node);
            onlyClustersThatItComesFromAreRestored(node);
        }
    }

    /** The ID of the cluster has changed: the note of the restore tells, or a later snapshot. */
    private static void onlyClustersThatItComesFromAreRestored(Node node) {
        var note = "/var/lib/kjadm/etcd-lineage.json";
        var before = node.run("kjadm", "etcd", "snapshot", "list", "-o", "jsonpath={.name}")
                .stdout()
                .strip();
        var cluster = node.run("kjadm", "etcd", "snapshot", "list", "-o", "jsonpath={.clusterID}")
                .stdout()
                .strip();
        String[] restore = {"kjadm", "etcd", "snapshot", "restore", before, "--dry-run"};
        node.run(restore);
        node.shell("mv %1$s %1$s.away".formatted(note));
        var refused = node.exec(restore);
        refused.failsFor("--cluster-id " + cluster);
        node.run(Stream.concat(Stream.of(restore), Stream.of("--cluster-id", cluster))
                .toArray(String[]::new));
        node.shell("mv %1$s.away %1$s".formatted(note));
        node.run("kjadm", "etcd", "snapshot", "save");
        node.shell("rm " + note);
        node.run(restore);
    }

    /**
     * No member has any data left, and everything comes back out of a bucket where it lies
     * encrypted. Whoever watches lists anew: the revision has risen, and nobody believes in what
     * was written after the snapshot.
     */
    @Test
    void threeNodesThatLostAllTheirDataAreRestoredFromABucket() {
        Components.playOnDemandInSandbox();
        try (var lab = Lab.withNodes(3);
                var bucket = Bucket.near(lab.node(1))) {
            var cluster = new Cluster(lab, Settings.standard());
            var nodes = List.of(lab.node(1), lab.node(2), lab.node(3));
            var first = nodes.getFirst();
            cluster.init(Tool.KJADM);
            nodes.stream().skip(1).forEach(node -> cluster.joinControlPlane(Tool.KJADM, node));
            cluster.awaitReady(nodes.toArray(Node[]::new));
            for (int i = 0; i < 20; i++) {
                create(cluster, first, "object-" + i);
            }
            var saved = first.run(bucket.command(
                    "kjadm",
                    "etcd",
                    "snapshot",
                    "save",
                    bucket.url(),
                    "--compress=gzip",
                    "--encrypt-to=" + RECIPIENT));
            assertTrue(saved.stdout().contains("by the checksum of the store"), saved::everything);
            first.write(IDENTITY, SECRET_KEY + "\n");
            String[] restore = bucket.command(
                    "kjadm",
                    "etcd",
                    "snapshot",
                    "restore",
                    "latest",
                    "--yes",
                    "--store=" + bucket.url(),
                    "--identity-file=" + IDENTITY);
            var objects = configMaps(cluster, first);
            assertTrue(objects.contains("object-19"), objects);
            create(cluster, first, "later");

            var refused = first.exec(restore);
            refused.failsFor("other etcd members still run");
            assertTrue(refused.stderr().contains(lab.node(3).name()), refused::everything);

            try (var client = cluster.client(first);
                    var watched = client.configMaps()
                            .inNamespace("default")
                            .withLabel(LABEL, "here")
                            .inform()) {
                assertEquals("later " + objects, names(watched.getStore().list()));
                // the others are stopped as docs/backup-and-restore.md says, none has any data left
                nodes.stream()
                        .skip(1)
                        .forEach(node -> node.shell("systemctl disable --now kubelet"));
                nodes.forEach(node -> node.shell(
                        "rm -rf %s; pkill -9 -x 'etcd(-server)?'; pkill -9 -x kube-apiserver"
                                .formatted(MEMBER)));
                var begun = System.nanoTime();
                // the snapshot lists them; the founder's etcd runs again without data, or not yet:
                // then there is no list, as the founder's files name no other
                var lost = Stream.concat(
                        nodes.stream().skip(1).map(Node::name), Stream.of("no-others"));
                first.exec(Stream.concat(
                                        Stream.of(restore),
                                        lost.map(name -> "--declare-lost=" + name))
                                .toArray(String[]::new))
                        .orFail();
                System.out.printf("[restore] first node: %.1f s%n", since(begun));
                assertEquals(objects, configMaps(cluster, first));
                for (var node : nodes.subList(1, 3)) {
                    cluster.reset(Tool.KJADM, node).orFail();
                    cluster.forget(node);
                    cluster.renewCredentials();
                    cluster.joinControlPlane(Tool.KJADM, node);
                }
                cluster.awaitReady(nodes.toArray(Node[]::new));
                System.out.printf("[restore] three nodes: %.1f s%n", since(begun));
                assertEquals(objects, configMaps(cluster, lab.node(3)));
                Eventually.passes(
                        SETTLING,
                        () -> assertEquals(objects, names(watched.getStore().list())));
            }
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

    /** A kill as soon as a step is noted. */
    private static void killAt(Node node, String step) {
        var killed = node.exec(
                "env",
                "KJADM_JAVA_OPTS=-Dkjadm.failpoints=true",
                "KJADM_FAILPOINT=%s:after=exit137".formatted(step),
                "kjadm",
                "etcd",
                "snapshot",
                "restore",
                "latest",
                "--yes");
        assertEquals(137, killed.status(), killed::everything);
        assertTrue(node.read(JOURNAL).contains(step), killed::everything);
    }

    private static void create(Cluster cluster, Node node, String name) {
        Eventually.passes(SETTLING, () -> {
            try (var client = cluster.client(node)) {
                client.resource(new ConfigMapBuilder()
                                .withNewMetadata()
                                .withName(name)
                                .withNamespace("default")
                                .addToLabels(LABEL, "here")
                                .endMetadata()
                                .build())
                        .create();
            }
        });
    }

    /** Those of {@link #create}, by name; controllers make others. */
    private static String configMaps(Cluster cluster, Node node) {
        return Eventually.get(SETTLING, () -> {
            try (var client = cluster.client(node)) {
                return names(client.configMaps()
                        .inNamespace("default")
                        .withLabel(LABEL, "here")
                        .list()
                        .getItems());
            }
        });
    }

    private static String names(List<ConfigMap> maps) {
        return maps.stream()
                .map(map -> map.getMetadata().getName())
                .sorted()
                .collect(Collectors.joining(" "));
    }
}
