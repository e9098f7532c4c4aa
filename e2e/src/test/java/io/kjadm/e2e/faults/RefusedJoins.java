package io.kjadm.e2e.faults;

import static io.kjadm.e2e.faults.Scene.addByHand;
import static io.kjadm.e2e.faults.Scene.joined;
import static io.kjadm.e2e.faults.Scene.refused;
import static io.kjadm.e2e.faults.Scene.removeByHand;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Alarm;
import io.kjadm.e2e.cluster.EtcdProxy;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Running;

import java.time.Duration;
import java.util.List;

/** What a join finds before it touches etcd, and what it is told to do about it. */
final class RefusedJoins {
    private static final String PKI = "/etc/kubernetes/pki/";
    private static final String OTHER_CLOCK =
            "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

    private RefusedJoins() {}

    static List<FaultCase> cases() {
        return List.of(
                FaultCase.of(
                        "F01",
                        "kill -9 after the checks of the node",
                        trial -> killedAt(trial, "[certs]", false)),
                FaultCase.of(
                        "F02",
                        "kill -9 between manifests and the checks of etcd",
                        trial -> killedAt(trial, "[control-plane]", true)),
                FaultCase.of("F14", "two runs on one node", RefusedJoins::twoRuns),
                FaultCase.of("F15", "the etcd image is missing", RefusedJoins::imageMissing),
                FaultCase.of("F16", "no kubelet can be started", RefusedJoins::noKubelet),
                FaultCase.of(
                        "F22",
                        "less room on the disk than the database needs",
                        RefusedJoins::noRoom),
                FaultCase.of(
                        "F28",
                        "the node's clock is two hours ahead, and then two hours behind",
                        RefusedJoins::clock),
                FaultCase.of(
                        "F29 F105",
                        "one voter of three is down, at a join and at a reset",
                        RefusedJoins::voterDown),
                FaultCase.withOutage("F33", "two voters of three are down", RefusedJoins::noQuorum),
                FaultCase.withOutage("F39", "alarm NOSPACE", trial -> alarm(trial, Alarm.NOSPACE)),
                FaultCase.withOutage("F40", "alarm CORRUPT", trial -> alarm(trial, Alarm.CORRUPT)),
                FaultCase.of(
                        "F41",
                        "a member remembers a voter that the others do not list",
                        RefusedJoins::zombie),
                FaultCase.of("F42", "a voter that never started", RefusedJoins::unstartedVoter),
                FaultCase.of(
                                "F60",
                                "somebody else's learner has the node's peer URL",
                                RefusedJoins::foreignLearner)
                        .usually(),
                FaultCase.of(
                        "F61",
                        "a voter that never started has the node's peer URL",
                        RefusedJoins::ownUnstarted),
                FaultCase.of("F62", "the node's voter lost its data", RefusedJoins::lostVoter),
                FaultCase.of("F63", "another member has the node's name", trial -> {
                    trial.grow(2);
                    refused(trial, 3, List.of("--node-name", "node2"), "node2", "member remove");
                    // its certificates are for the other name
                    trial.cluster().reset(Tool.KJADM, trial.node(3));
                    joined(trial, 3);
                    trial.assertJoined(1, 2, 3);
                }),
                FaultCase.of(
                        "F64",
                        "the node's address is another member's second peer URL",
                        RefusedJoins::secondUrl),
                FaultCase.of(
                        "F65",
                        "the data directory is a removed member's",
                        RefusedJoins::removedMembersData),
                FaultCase.of("F66", "the data directory is a mount with lost+found", trial -> {
                    trial.node(2).shell("mkdir -p /var/lib/etcd/lost+found");
                    joined(trial, 2);
                    trial.assertJoined(1, 2);
                }),
                FaultCase.of("F76", "a node name in capitals", trial -> {
                    joined(trial, 2, "--node-name", "NODE2");
                    trial.assertJoined(1, 2);
                }));
    }

    private static void killedAt(Trial trial, String words, boolean certificates) {
        Running join = trial.cluster().startJoin(Tool.KJADM, trial.node(2));
        Scene.awaitOutput(join, words);
        join.signal("KILL");
        assertEquals(137, join.outcome().status());
        assertEquals(1, trial.cluster().members(trial.node(1)).size());
        var before = certificates ? trial.node(2).read(PKI + "etcd/peer.crt") : "";
        joined(trial, 2);
        if (certificates) {
            assertEquals(
                    before,
                    trial.node(2).read(PKI + "etcd/peer.crt"),
                    "a valid certificate was made again");
        }
        trial.assertJoined(1, 2);
    }

    private static void twoRuns(Trial trial) {
        var first = Scene.pausing(trial, 2, "adding:after", Duration.ofSeconds(15));
        refused(trial, 2, List.of(), "another");
        first.outcome().orFail();
        trial.assertJoined(1, 2);
    }

    private static void imageMissing(Trial trial) {
        renameImages(trial.node(2), "etcd", "kept-etcd");
        try {
            refused(trial, 2, List.of(), "etcd");
            refused(
                    trial,
                    2,
                    List.of("--ignore-preflight-errors", "ImagePull,SystemVerification,Swap"),
                    "etcd");
        } finally {
            renameImages(trial.node(2), "kept-etcd", "etcd");
        }
        joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    private static void renameImages(Node node, String from, String to) {
        node.shell("""
                for image in $(ctr -n k8s.io images ls -q | grep ^registry.k8s.io/%1$s:); do
                    ctr -n k8s.io images tag "$image" "registry.k8s.io/%2$s:${image##*:}" > /dev/null
                    ctr -n k8s.io images rm "$image" > /dev/null
                done""".formatted(from, to));
    }

    private static void noKubelet(Trial trial) {
        var node = trial.node(2);
        var path = node.shell("command -v kubelet");
        node.shell("""
                mv %1$s %1$s.away
                printf '#!/bin/sh\n[ "$1" = --version ] && exec %1$s.away --version\nexit 1\n' > %1$s
                chmod +x %1$s""".formatted(path));
        try {
            var failed = trial.cluster()
                    .tryJoinControlPlaneFromFile(
                            Tool.KJADM, node, "timeouts: {kubeletHealthCheck: 10s}");
            Scene.failed(failed, "kubelet");
            assertEquals(1, trial.cluster().members(trial.node(1)).size());
        } finally {
            node.shell("mv %1$s.away %1$s; systemctl restart kubelet".formatted(path));
        }
        trial.cluster().tryJoinControlPlaneFromFile(Tool.KJADM, node, "").orFail();
        trial.assertJoined(1, 2);
    }

    private static void noRoom(Trial trial) {
        trial.node(2).shell("mount -t tmpfs -o size=64m tmpfs /var/lib/etcd");
        try {
            refused(trial, 2, List.of(), "/var/lib/etcd");
        } finally {
            trial.node(2).shell("umount /var/lib/etcd");
        }
    }

    private static void voterDown(Trial trial) {
        trial.grow(3);
        trial.stopEtcd(trial.node(3));
        refused(trial, 4, List.of(), "node3");
        var kept = trial.cluster().startReset(Tool.KJADM, trial.node(2)).outcome();
        Scene.failed(kept, "node3");
        System.out.printf(
                "[faults]   reset refused after %.1f s: %s%n",
                kept.took().toMillis() / 1000.0, Scene.error(kept));
        trial.startEtcd(trial.node(3));
        assertEquals(3, trial.cluster().members(trial.node(1)).size());
        joined(trial, 4);
        trial.assertJoined(1, 2, 3, 4);
    }

    private static void clock(Trial trial) {
        for (String offset : List.of("+2h", "-2h")) {
            var failed = trial.cluster()
                    .startJoin(
                            Tool.KJADM,
                            trial.node(2),
                            "LD_PRELOAD=" + OTHER_CLOCK,
                            "FAKETIME=" + offset,
                            "FAKETIME_DONT_FAKE_MONOTONIC=1")
                    .outcome();
            Scene.failed(failed, "clock");
            System.out.printf(
                    "[faults]   refused after %.1f s: %s%n",
                    failed.took().toMillis() / 1000.0, Scene.error(failed));
            assertEquals(1, trial.cluster().members(trial.node(1)).size());
        }
        joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    /** With two of three voters down. */
    private static void noQuorum(Trial trial) {
        trial.grow(3);
        trial.takeEtcdAway(trial.node(2));
        trial.takeEtcdAway(trial.node(3));
        // without its etcd no API server tells what the cluster is, so the join does not come to
        // etcd at all
        var failed = Scene.failed(
                trial.cluster()
                        .tryJoinControlPlaneFromFile(
                                Tool.KJADM, trial.node(4), "timeouts: {discovery: 30s}"),
                "cluster-info");
        System.out.printf(
                "[faults]   refused after %.1f s: %s%n",
                failed.took().toMillis() / 1000.0, Scene.error(failed));
        assertFalse(trial.node(4).exists(Node.ETCD_MANIFEST), "a manifest was written");
        trial.startEtcd(trial.node(2));
        trial.startEtcd(trial.node(3));
        trial.assertJoined(1, 2, 3);
        joined(trial, 4);
        trial.assertJoined(1, 2, 3, 4);
    }

    private static void zombie(Trial trial) {
        try (var proxy = EtcdProxy.between(trial.node(2), trial.node(1))
                .remembering(0xdead, "zombie", nobodysUrl(trial))) {
            refused(trial, 2, List.of(), "do not list the same members", "dead");
            assertTrue(proxy.calls(EtcdProxy.LIST) > 0, "nothing passed");
        }
        joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    private static void alarm(Trial trial, Alarm type) {
        trial.alarm(type, true);
        try {
            refused(trial, 2, List.of(), type.name());
        } finally {
            trial.alarm(type, false);
        }
        joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    private static void unstartedVoter(Trial trial) {
        trial.grow(2);
        var id = addByHand(trial, "absent", nobodysUrl(trial), false);
        refused(trial, 3, List.of(), id);
        removeByHand(trial, id);
        joined(trial, 3);
        trial.assertJoined(1, 2, 3);
    }

    private static void foreignLearner(Trial trial) {
        var id = addByHand(trial, "node2", Trial.peerUrl(trial.node(2)), true);
        refused(trial, 2, List.of(), id, "--takeover");
        joined(trial, 2, "--takeover");
        trial.assertJoined(1, 2);
    }

    private static void ownUnstarted(Trial trial) {
        trial.grow(2);
        var id = addByHand(trial, "node3", Trial.peerUrl(trial.node(3)), false);
        refused(trial, 3, List.of(), id, "--replace-lost-voter");
        joined(trial, 3, "--replace-lost-voter");
        trial.assertJoined(1, 2, 3);
    }

    private static void lostVoter(Trial trial) {
        trial.grow(3);
        var id = trial.member(trial.node(3)).orElseThrow().id();
        trial.node(3).wipe();
        trial.cluster().forget(trial.node(3));
        refused(trial, 3, List.of(), id, "--replace-lost-voter");
        joined(trial, 3, "--replace-lost-voter");
        trial.assertJoined(1, 2, 3);
        assertNotEquals(id, trial.member(trial.node(3)).orElseThrow().id());
    }

    private static void secondUrl(Trial trial) {
        trial.grow(2);
        var other = trial.member(trial.node(2)).orElseThrow();
        trial.cluster()
                .etcdctl(
                        trial.node(1),
                        "member update %s --peer-urls=%s,%s"
                                .formatted(
                                        other.id(),
                                        other.peerUrls(),
                                        Trial.peerUrl(trial.node(3))));
        refused(trial, 3, List.of(), other.id());
        trial.cluster()
                .etcdctl(
                        trial.node(1),
                        "member update %s --peer-urls=%s".formatted(other.id(), other.peerUrls()));
        joined(trial, 3);
        trial.assertJoined(1, 2, 3);
    }

    private static void removedMembersData(Trial trial) {
        trial.grow(3);
        removeByHand(trial, trial.member(trial.node(3)).orElseThrow().id());
        trial.node(3).shell("mv /var/lib/etcd/member /root/member");
        trial.node(3).wipe();
        trial.cluster().forget(trial.node(3));
        trial.node(3).shell("mv /root/member /var/lib/etcd/member");
        var refusal = refused(trial, 3, List.of(), "/var/lib/etcd", "--wipe-etcd-data");
        var cluster = refusal.stderr().replaceAll("(?s).*--wipe-etcd-data[= ]([0-9a-f]+).*", "$1");
        joined(trial, 3, "--wipe-etcd-data=" + cluster);
        trial.assertJoined(1, 2, 3);
        assertFalse(
                trial.node(3)
                        .shell("ls -d /var/lib/etcd.* /var/lib/etcd/member.* 2> /dev/null | cat")
                        .isEmpty(),
                "the old data was not kept");
    }

    /** An address of the lab's network that no machine has. */
    static String nobodysUrl(Trial trial) {
        return "https://" + trial.node(1).address().replaceAll("[0-9]+$", "250") + ":2380";
    }
}
