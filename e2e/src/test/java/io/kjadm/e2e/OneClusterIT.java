package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What must never make a second cluster beside a living one, or serve other data than were asked
 * for: restores and recoveries that are refused.
 */
@NeedsLab
@Tag("long")
final class OneClusterIT {
    private static final Duration SETTLING = Duration.ofMinutes(4);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String DATA_DIR = "/var/lib/etcd";
    private static final String MEMBER = DATA_DIR + "/member";
    private static final String WORK = "/etc/kubernetes/tmp/kjadm-restore";
    private static final String STANDALONE_JOURNAL = "/var/lib/kjadm/etcd/restore/journal.json";
    private static final String STOP =
            "systemctl stop kubelet; pkill -9 -x 'etcd(-server)?'; pkill -9 -x kube-apiserver; true";

    /**
     * Four accidents happen to one cluster: its client port is closed between the nodes, disks are
     * mounted late, the power fails during a restore, and that restore is given up. It is the same
     * cluster afterwards.
     */
    @Test
    void aClusterOfThreeStaysOne() {
        Components.playOnDemandInSandbox();
        try (var lab = Lab.withNodes(3)) {
            var scene = new Scene(lab, new Cluster(lab, Settings.standard()));
            scene.others.forEach(OneClusterIT::giveOwnDisk);
            scene.cluster.init(Tool.KJADM);
            scene.others.forEach(node -> scene.cluster.joinControlPlane(Tool.KJADM, node));
            scene.cluster.awaitReady(lab.nodes().toArray(Node[]::new));
            scene.first.run("kjadm", "etcd", "snapshot", "save");
            var id = scene.cluster.servedBy(scene.first);

            scene.clientPortIsClosedBetweenTheNodes();
            scene.disksAreMountedLate();
            scene.powerFailsDuringARestore();
            scene.theRestoreIsGivenUp();

            assertEquals(Set.of(id.orElseThrow()), scene.served());
            scene.cluster.assertVoters(lab.nodes().toArray(Node[]::new));
        }
    }

    /**
     * A restore is interrupted, the manifest is put back, and the kubelet starts etcd without data.
     */
    @Test
    void anEmptyEtcdIsNotTheRestoredOne() {
        try (var lab = Lab.withNodes(1)) {
            var cluster = new Cluster(lab, Settings.standard());
            var node = lab.node(1);
            cluster.init(Tool.KJADM);
            cluster.etcdctl(node, "put kept yes");
            node.run("kjadm", "etcd", "snapshot", "save");
            var id = cluster.servedBy(node);
            var manifest = node.read(Node.ETCD_MANIFEST);

            killAt(node, "SET_ASIDE", WORK + "/journal.json", restoring(List.of()));
            node.write(Node.ETCD_MANIFEST, manifest);
            Eventually.passes(SETTLING, () -> assertTrue(cluster.servedBy(node).isPresent()));
            refused(node.exec(restoring(List.of())), MEMBER);
            node.shell("rm -f " + Node.ETCD_MANIFEST);
            Eventually.passes(
                    SETTLING, () -> assertEquals(Optional.empty(), cluster.servedBy(node)));
            refused(node.exec(restoring(List.of())), MEMBER);

            node.shell("mv %1$s %1$s.foreign".formatted(MEMBER));
            node.run(restoring(List.of()));
            assertEquals(
                    "yes",
                    cluster.etcdctl(node, "get kept --print-value-only")
                            .stdout()
                            .strip());
            assertNotEquals(id, cluster.servedBy(node));
        }
    }

    /** The same on a machine with standalone etcd: a program starts etcd without data. */
    @Test
    void anEmptyEtcdIsNotTheRestoredStandaloneOne() {
        try (var lab = Lab.withNodes(1)) {
            var node = lab.node(1);
            var version = EtcdRelease.named(99);
            EtcdRelease.pack(node, version);
            node.run(
                    "kjadm",
                    "etcd",
                    "init",
                    "--version",
                    version,
                    "--etcd-tarball",
                    EtcdRelease.tarball(version));
            node.shell("/opt/bin/etcdctl.sh put kept yes");
            node.run("kjadm", "etcd", "snapshot", "save");

            killAt(node, "SET_ASIDE", STANDALONE_JOURNAL, restoring(List.of()));
            node.shell("(set -a; . /etc/etcd/etcd.env; exec setsid /opt/bin/etcd)"
                    + " > /root/foreign.log 2>&1 < /dev/null &");
            Eventually.passes(SETTLING, () -> node.shell("/opt/bin/etcdctl.sh endpoint health"));
            refused(node.exec(restoring(List.of())), MEMBER);
            node.shell("pkill -9 -x etcd; sleep 1");
            refused(node.exec(restoring(List.of())), MEMBER);

            node.shell("mv %1$s %1$s.foreign".formatted(MEMBER));
            node.run(restoring(List.of()));
            assertEquals("yes", node.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
        }
    }

    /** Three control planes, and the accidents that happen to them. */
    private record Scene(Lab lab, Cluster cluster, Node first, List<Node> others) {
        Scene(Lab lab, Cluster cluster) {
            this(lab, cluster, lab.node(1), List.of(lab.node(2), lab.node(3)));
        }

        /** The first node's member follows a leader, so a quorum lives that it does not reach. */
        void clientPortIsClosedBetweenTheNodes() {
            var before = state(first);
            others.forEach(other -> {
                first.block("-p tcp --dport 2379 -d " + other.address());
                first.block("-p tcp --dport 2379 -s " + other.address());
            });
            refused(first.exec(restoring(declared())));
            refused(first.exec(
                    recovering(Stream.concat(declared().stream(), Stream.of("--apply", "--yes"))
                            .toList())));
            first.unblock();
            assertEquals(before, state(first));
            assertEquals(1, served().size());
        }

        /** What is seen below a mount point says nothing about the disk. */
        void disksAreMountedLate() {
            var before = state(first);
            stopOthers();
            others.forEach(node -> node.shell("umount " + DATA_DIR));
            var evidence = others.stream()
                    .flatMap(node -> {
                        var path = "/root/%s.json".formatted(node.name());
                        first.write(
                                path, node.run(recovering(List.of("--collect"))).stdout());
                        return Stream.of("--evidence", path);
                    })
                    .toList();
            var told = first.exec(recovering(
                    Stream.concat(evidence.stream(), Stream.of("-o", "jsonpath={.diagnosis}"))
                            .toList()));
            assertEquals("QuorumLostForNow", told.stdout().strip(), told::everything);
            refused(first.exec(
                    recovering(Stream.concat(evidence.stream(), Stream.of("--apply", "--yes"))
                            .toList())));
            assertEquals(before, state(first));

            others.forEach(node -> node.shell("mount " + DATA_DIR));
            startOthers();
            Eventually.passes(SETTLING, () -> assertTrue(cluster.servedBy(first).isPresent()));
            assertEquals(1, served().size());
        }

        /** All nodes are on again; the others' kubelets start etcd and the API server. */
        void powerFailsDuringARestore() {
            stopOthers();
            killAt(first, "SET_ASIDE", WORK + "/journal.json", restoring(declared()));
            startOthers();
            Eventually.passes(SETTLING, () -> assertEquals(1, served().size()));

            refused(first.exec(restoring(declared())));

            assertEquals(Optional.empty(), cluster.servedBy(first));
            assertEquals(1, served().size());
            assertFalse(first.exists(Node.ETCD_MANIFEST));
        }

        /** What is left of the restore is about a member that has left. */
        void theRestoreIsGivenUp() {
            first.shell("cp -a %s /root/kjadm-restore".formatted(WORK));
            cluster.reset(Tool.KJADM, first);
            cluster.forget(first, others.getFirst());
            cluster.renewCredentials(others.getFirst());
            cluster.tryJoinControlPlane(Tool.KJADM, first, "--replace-lost-voter")
                    .orFail();
            var before = state(first);

            for (var left : List.of(false, true)) {
                if (left) {
                    first.shell(
                            "mkdir -p %1$s && cp -a /root/kjadm-restore/. %1$s".formatted(WORK));
                }
                refused(first.exec("kjadm", "etcd", "snapshot", "restore", "--undo"));
                refused(first.exec(recovering(List.of("--undo"))));
                assertEquals(before, state(first));
            }
            cluster.awaitReady(lab.nodes().toArray(Node[]::new));
        }

        private void stopOthers() {
            others.forEach(node -> node.shell(STOP));
        }

        private void startOthers() {
            others.forEach(node -> node.shell("systemctl start kubelet"));
        }

        private List<String> declared() {
            return others.stream()
                    .flatMap(node -> Stream.of("--declare-lost", node.name()))
                    .toList();
        }

        /** The clusters that clients of the nodes read and write. */
        Set<String> served() {
            return lab.nodes().stream()
                    .flatMap(node -> cluster.servedBy(node).stream())
                    .collect(Collectors.toSet());
        }
    }

    /** What a refused command must leave as it was: the data, the manifests and the processes. */
    private static String state(Node node) {
        return node.shell("""
                cd %s && find . -maxdepth 2 | sort && stat -c '%%n %%i' .
                sha256sum /etc/kubernetes/manifests/*
                pgrep -x 'etcd(-server)?'""".formatted(DATA_DIR));
    }

    /** Puts the data on a disk that is mounted where etcd expects them, as fstab says. */
    private static void giveOwnDisk(Node node) {
        node.shell("""
                mkdir -p /var/lib/containerd/disk
                umount %1$s
                echo '/var/lib/containerd/disk %1$s none bind,nofail 0 0' >> /etc/fstab
                mount %1$s""".formatted(DATA_DIR));
    }

    private static String[] restoring(List<String> more) {
        return words("snapshot restore latest --yes", more);
    }

    private static String[] recovering(List<String> more) {
        return words("recover", more);
    }

    private static String[] words(String command, List<String> more) {
        return Stream.of(List.of("kjadm", "etcd"), List.of(command.split(" ")), more)
                .flatMap(List::stream)
                .toArray(String[]::new);
    }

    private static void refused(Outcome outcome, String... words) {
        assertEquals(1, outcome.status(), outcome::everything);
        assertFalse(outcome.stderr().contains("unknown flag"), outcome::everything);
        for (var word : words) {
            assertTrue(outcome.stderr().contains(word), outcome::everything);
        }
    }

    /** Runs a command and kills it as soon as its journal notes a step. */
    private static void killAt(Node node, String step, String journal, String... command) {
        var run = node.start(LIMIT, command);
        assertTrue(
                run.signalWhen("grep -qs '\"step\" : \"%s\"' %s".formatted(step, journal), "KILL"),
                () -> run.outcome().everything());
        assertEquals(137, run.outcome().status(), () -> run.outcome().everything());
    }
}
