package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Node;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Clusters whose etcd somebody has set up in another way, or is about to change. */
final class OtherClusters {
    private static final String KEPT = "/root/etcd-kept.yaml";

    private OtherClusters() {}

    static List<FaultCase> cases() {
        return List.of(
                FaultCase.withOutage(
                        "F48",
                        "three joins at once where etcd takes three learners",
                        OtherClusters::threeLearners),
                FaultCase.of("F71", "a downgrade of etcd is under way", OtherClusters::downgrade),
                FaultCase.withOutage(
                        "F75",
                        "a member with two client and two peer URLs, and ports of its own",
                        OtherClusters::severalUrls),
                FaultCase.of(
                        "F112",
                        "reset of a member whose manifest tells other addresses",
                        OtherClusters::otherAddresses));
    }

    private static void threeLearners(Trial trial) {
        var version = trial.cluster()
                .etcdctl(trial.node(1), "endpoint status -w fields")
                .stdout();
        assumeTrue(version.contains("\"3.6."), "this etcd takes one learner, whatever it is told");
        changed(trial, trial.node(1), "s/    - etcd$/&\\n    - --max-learners=3/", () -> {
            var joins = Stream.of(2, 3, 4)
                    .map(i -> trial.cluster().startJoin(Tool.KJADM, trial.node(i)))
                    .toList();
            joins.forEach(join -> join.outcome().orFail());
            trial.assertJoined(1, 2, 3, 4);
        });
    }

    private static void downgrade(Trial trial) {
        var status = trial.cluster()
                .etcdctl(trial.node(1), "endpoint status -w fields")
                .stdout();
        int minor = Integer.parseInt(
                status.replaceAll("(?s).*\"Version\" : \"3\\.([0-9]+)\\..*", "$1"));
        assumeTrue(minor >= 6, "this etcd does not tell that it is being downgraded");
        trial.grow(2);
        trial.downgrade(Optional.of("3.%d.0".formatted(minor - 1)));
        try {
            Scene.refused(trial, 3, List.of(), "downgrade");
        } finally {
            trial.downgrade(Optional.empty());
        }
        Scene.joined(trial, 3);
        trial.assertJoined(1, 2, 3);
    }

    private static void severalUrls(Trial trial) {
        var first = trial.node(1);
        var id = trial.member(first).orElseThrow().id();
        var usual = Trial.peerUrl(first);
        var other = usual.replace(":2380", ":3380");
        changed(
                trial,
                first,
                "/listen-peer-urls/s|%1$s|%1$s,%2$s|; /client-urls/s|\\(https://%3$s\\):2379|\\1:2379,\\1:3379|"
                        .formatted(usual, other, first.address().replace(".", "\\.")),
                () -> {
                    trial.cluster()
                            .etcdctl(
                                    first,
                                    "member update %s --peer-urls=%s,%s"
                                            .formatted(id, usual, other));
                    Scene.joined(trial, 2);
                    trial.assertJoined(1, 2);
                    var listed = trial.cluster()
                            .etcdctl(first, "member list -w simple")
                            .stdout();
                    assertTrue(listed.contains(usual + "," + other), listed);
                    var manifest = trial.node(2).read(Node.ETCD_MANIFEST);
                    assertTrue(
                            manifest.contains("node1=" + usual)
                                    && manifest.contains("node1=" + other),
                            manifest);
                    trial.cluster().reset(Tool.KJADM, trial.node(2));
                    trial.cluster().forget(trial.node(2));
                    trial.cluster()
                            .etcdctl(first, "member update %s --peer-urls=%s".formatted(id, usual));
                });
    }

    private static void otherAddresses(Trial trial) {
        trial.grow(3);
        var node = trial.node(3);
        changed(
                trial,
                node,
                "s/initial-advertise-peer-urls=.*/initial-advertise-peer-urls=https:\\/\\/192.0.2.77:2380/",
                () -> {
                    trial.cluster().reset(Tool.KJADM, node);
                    trial.assertGone(node);
                    trial.cluster().assertVoters(trial.node(1), trial.node(2));
                });
    }

    /**
     * The node's etcd runs with a manifest that is changed by sed while this is done, if it has one
     * in the end.
     */
    private static void changed(Trial trial, Node node, String change, Runnable done) {
        node.shell(
                "cp -p %1$s %2$s; sed '%3$s' %2$s > /root/changed.yaml; ! cmp -s %2$s /root/changed.yaml"
                        .formatted(Node.ETCD_MANIFEST, KEPT, change));
        restarted(trial, node, "/root/changed.yaml");
        try {
            done.run();
        } finally {
            if (node.exists(Node.ETCD_MANIFEST)) {
                restarted(trial, node, KEPT);
            }
        }
    }

    private static void restarted(Trial trial, Node node, String manifest) {
        trial.takeEtcdAway(node);
        node.shell("cp %s /root/etcd.yaml".formatted(manifest));
        trial.startEtcd(node);
        Eventually.passes(
                Scene.LONG,
                () -> assertEquals(
                        0, trial.cluster().tryEtcdctl(node, "endpoint health").status()));
        Eventually.passes(
                Scene.LONG,
                () -> node.run(
                        "curl", "-sfk", "-m", "5", "https://%s/readyz".formatted(node.at(6443))));
    }
}
