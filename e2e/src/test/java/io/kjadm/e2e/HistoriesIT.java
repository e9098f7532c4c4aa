package io.kjadm.e2e;

import static io.kjadm.e2e.AutoCommands.SETTLING;
import static io.kjadm.e2e.AutoCommands.approveVersion;
import static io.kjadm.e2e.AutoCommands.daemon;
import static io.kjadm.e2e.AutoCommands.daemonWith;
import static io.kjadm.e2e.AutoCommands.member;
import static io.kjadm.e2e.AutoCommands.replaced;
import static io.kjadm.e2e.AutoCommands.running;
import static io.kjadm.e2e.AutoCommands.serves;
import static io.kjadm.e2e.AutoCommands.shareToken;
import static io.kjadm.e2e.AutoCommands.told;
import static io.kjadm.e2e.StandaloneCommands.BUNDLE;
import static io.kjadm.e2e.StandaloneCommands.founding;
import static io.kjadm.e2e.StandaloneCommands.joining;
import static io.kjadm.e2e.StandaloneCommands.kjadm;
import static io.kjadm.e2e.StandaloneCommands.leader;
import static io.kjadm.e2e.StandaloneCommands.start;
import static io.kjadm.e2e.StandaloneCommands.status;
import static io.kjadm.e2e.StandaloneCommands.voters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.NodeRecorder;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.UpgradeLab;
import io.kjadm.e2e.cluster.UpgradeLab.EtcdStep;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Eight clients read and write while the program changes the etcd of nodes: every answer has to be
 * that of one store. {@code e2e/histories --nodes} runs it; see {@code docs/proof.md}.
 */
@NeedsLab
@Tag("long")
final class HistoriesIT {

    private static final int KILLED = 137;
    /** etcd before 3.6 does not report its quota. */
    private static final List<String> DISARM =
            List.of("alarm", "disarm", "--yes", "--quota-backend-bytes", "2147483648");

    @TempDir
    Path folder;

    /** A standalone etcd of one node, and nodes that may join it. */
    private static String found(Lab lab) {
        var version = EtcdRelease.named(98);
        lab.nodes().forEach(node -> EtcdRelease.pack(node, version));
        kjadm(lab.node(1), founding(version)).orFail();
        var bundle = lab.node(1).read(BUNDLE);
        lab.nodes().stream().skip(1).forEach(node -> node.write(BUNDLE, bundle));
        return version;
    }

    private NodeRecorder recorder(Lab lab) {
        return new NodeRecorder(folder, lab.node(1), lab.nodes());
    }

    /** All nodes are members, and serve clients. */
    private NodeRecorder together(Lab lab, String version) {
        var recorder = recorder(lab);
        lab.nodes().stream().skip(1).forEach(node -> {
            kjadm(node, joining(lab.node(1), version)).orFail();
            recorder.serves(node);
        });
        return recorder;
    }

    @Test
    void joinsAtOnce() throws IOException {
        try (var lab = Lab.withNodes(4)) {
            var version = found(lab);
            var recorder = recorder(lab);
            var others = lab.nodes().subList(1, 4);
            recorder.requireRight("three joins at once, on nodes", EtcdRelease.newest(), () -> {
                recorder.during(
                        "joins",
                        () -> others.stream()
                                .map(node -> start(node, joining(lab.node(1), version)))
                                .toList()
                                .forEach(join -> join.outcome().orFail()));
                others.forEach(recorder::serves);
            });
            assertEquals(4, voters(lab.node(1)), () -> status(lab.node(1)));
        }
    }

    /** Each killed once in each state of its journal, before and after what the state announces. */
    @Test
    void joinsThatAreKilled() throws IOException {
        try (var lab = Lab.withNodes(3)) {
            var version = found(lab);
            var recorder = recorder(lab);
            recorder.requireRight(
                    "joins that are killed in each state, on nodes", EtcdRelease.newest(), () -> {
                        for (var node : lab.nodes().subList(1, 3)) {
                            for (var state : List.of(
                                    "adding", "added", "manifest", "started", "promoting")) {
                                var when = node == lab.node(2) ? "before" : "after";
                                recorder.during(
                                        "join %s until %s %s".formatted(node.name(), when, state),
                                        () -> {
                                            var killed = kjadm(
                                                    node,
                                                    joining(lab.node(1), version),
                                                    "KJADM_FAILPOINT=%s:%s=exit137"
                                                            .formatted(state, when));
                                            assertEquals(
                                                    KILLED, killed.status(), killed::everything);
                                        });
                            }
                            recorder.during(
                                    "join " + node.name(),
                                    () -> kjadm(node, joining(lab.node(1), version))
                                            .orFail());
                            recorder.serves(node);
                        }
                    });
            assertEquals(3, voters(lab.node(1)), () -> status(lab.node(1)));
        }
    }

    @Test
    void aResetOfTheLeader() throws IOException {
        try (var lab = Lab.withNodes(3)) {
            var version = found(lab);
            var recorder = together(lab, version);
            recorder.requireRight(
                    "resets of the leader, and joins, on nodes", EtcdRelease.newest(), () -> {
                        for (int round = 1; round <= 3; round++) {
                            var leader = leader(lab.nodes());
                            var other = lab.nodes().stream()
                                    .filter(node -> node != leader)
                                    .findFirst()
                                    .orElseThrow();
                            recorder.during("reset " + leader.name(), () -> {
                                kjadm(leader, List.of("reset", "--yes")).orFail();
                                recorder.leaves(leader);
                            });
                            recorder.during(
                                    "join " + leader.name(),
                                    () -> kjadm(leader, joining(other, version)).orFail());
                            recorder.serves(leader);
                        }
                    });
            assertEquals(3, voters(lab.node(1)), () -> status(lab.node(1)));
        }
    }

    /** Clients reach it, and its peers do not; another one leads. */
    @Test
    void aLeaderThatIsCutOff() throws IOException {
        try (var lab = Lab.withNodes(3)) {
            var recorder = together(lab, found(lab));
            recorder.requireRight(
                    "the leader is cut off from its peers, on nodes", EtcdRelease.newest(), () -> {
                        for (int round = 1; round <= 3; round++) {
                            var leader = leader(lab.nodes());
                            var others = lab.nodes().stream()
                                    .filter(node -> node != leader)
                                    .toList();
                            recorder.during("cut off " + leader.name(), () -> {
                                leader.block("-p tcp --dport 2380");
                                leader.block("-p tcp --sport 2380");
                                Eventually.passes(SETTLING, () -> leader(others));
                                assertEquals(2, voters(others.getFirst()));
                                leader.unblock();
                            });
                            serves(others.getFirst(), 3);
                        }
                    });
        }
    }

    /** Whatever puts is refused until {@code etcd alarm disarm} has made room. */
    @Test
    void anAlarm() throws IOException {
        try (var lab = Lab.withNodes(3)) {
            var first = lab.node(1);
            var recorder = together(lab, found(lab));
            recorder.requireRight("alarm, on nodes", EtcdRelease.newest(), () -> {
                for (var node : lab.nodes()) {
                    var member = member(first, node);
                    recorder.during("a member without space", () -> {
                        recorder.fillsUp(node, member);
                        assertEquals(1, kjadm(first, List.of("status")).status());
                    });
                    recorder.during("disarm", () -> kjadm(first, DISARM).orFail());
                }
            });
        }
    }

    @Test
    void theAutomaticMode() throws IOException {
        try (var lab = Lab.withNodes(4)) {
            var version = EtcdRelease.named(98);
            lab.nodes().forEach(node -> EtcdRelease.pack(node, version));
            var first = lab.node(1);
            var spare = lab.node(4);
            var store = Lab.SHARED + "/store";
            seed(first, store, version, "replace-after=2m");
            shareToken(lab);
            lab.nodes().subList(0, 3).forEach(node -> daemon(node, store, version));
            serves(first, 3);
            daemon(spare, store, version);
            Eventually.passes(
                    SETTLING, () -> assertTrue(told(first, "status").contains("is a spare")));
            var recorder = recorder(lab);
            lab.nodes().subList(1, 3).forEach(recorder::serves);
            recorder.requireRight(
                    "a spare takes a dead machine's place, on nodes", EtcdRelease.newest(), () -> {
                        recorder.during("power cut", () -> lab.node(3).cutPower());
                        recorder.leaves(lab.node(3));
                        recorder.during("replacement", () -> replaced(first, spare, lab.node(3)));
                        recorder.serves(spare);
                    });
        }
    }

    @Test
    void anUpgradeInAutomaticMode() throws IOException {
        var from = "3.6.11";
        var to = "3.7.1";
        List.of(from, to).forEach(Components::etcdTag);
        try (var lab = Lab.withNodes(3)) {
            lab.nodes().forEach(node -> {
                EtcdRelease.pack(node, from, "3.6.98");
                EtcdRelease.pack(node, to, "3.7.9");
            });
            var first = lab.node(1);
            var store = Lab.SHARED + "/store";
            seed(first, store, "3.6.98");
            shareToken(lab);
            lab.nodes().forEach(node -> daemonWith(node, store, EtcdRelease.FOLDER));
            serves(first, 3);
            var recorder = recorder(lab);
            lab.nodes().subList(1, 3).forEach(recorder::serves);
            recorder.requireRight(
                    "upgrade to %s, in automatic mode, on nodes".formatted(to), from, () -> {
                        recorder.during("upgrade", () -> {
                            approveVersion(first, "3.7.9");
                            Eventually.passes(
                                    SETTLING,
                                    () -> lab.nodes()
                                            .forEach(node -> assertEquals("3.7.9", running(node))));
                        });
                    });
            serves(first, 3);
        }
    }

    private static void seed(Node node, String store, String version, String... more) {
        node.run(Stream.concat(
                        Stream.of("kjadm", "etcd", "seed", store, "nodes=3", "version=" + version),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    /** Of a stacked etcd, whose lock is in the API. */
    @Test
    void controlPlanesJoinAtOnce() throws IOException {
        try (var lab = Lab.withNodes(6)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);
            var recorder = recorder(lab);
            var others = lab.nodes().subList(1, 6);
            recorder.requireRight(
                    "five control planes join at once, on nodes", recorder.version(), () -> {
                        recorder.during(
                                "joins",
                                () -> others.stream()
                                        .map(node -> cluster.startJoin(Tool.KJADM, node))
                                        .toList()
                                        .forEach(join -> join.outcome().orFail()));
                        others.forEach(recorder::serves);
                    });
            cluster.assertVoters(lab.nodes().toArray(Node[]::new));
        }
    }

    @Test
    void anUpgradeOfKubernetes() throws IOException {
        var etcd = EtcdStep.patch();
        try (var upgrade = UpgradeLab.withEtcd(etcd, 3, 3)) {
            upgrade.wantEtcd(etcd);
            var recorder = recorder(upgrade.lab());
            var others = upgrade.lab().nodes().subList(1, 3);
            others.forEach(recorder::serves);
            recorder.requireRight(
                    "kjadm upgrade to %s, with etcd to %s, on nodes"
                            .formatted(UpgradeLab.NEXT, etcd.next()),
                    recorder.version(),
                    () -> {
                        recorder.during(
                                "apply", () -> upgrade.apply(upgrade.node(1)).orFail());
                        recorder.during(
                                "node, two at once",
                                () -> others.stream()
                                        .map(upgrade::startNode)
                                        .toList()
                                        .forEach(node -> node.outcome().orFail()));
                    });
        }
    }
}
