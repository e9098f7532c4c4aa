package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Nodes that leave while something is wrong. */
final class Resets {
    private Resets() {}

    static List<FaultCase> cases() {
        var cases = Stream.of("retiring", "handover", "removing", "removed", "stopped", "cleaning")
                .map(Resets::killed)
                .collect(Collectors.toList());
        cases.addAll(List.of(
                FaultCase.of("F106", "reset of one of two, both up", trial -> {
                    trial.grow(2);
                    trial.cluster().reset(Tool.KJADM, trial.node(2));
                    trial.assertGone(trial.node(2));
                    trial.cluster().assertVoters(trial.node(1));
                }),
                FaultCase.withOutage(
                        "F107", "reset of one of two, the other is down", Resets::otherDown),
                FaultCase.withOutage(
                        "F105",
                        "reset --force, and another voter goes down once it has begun",
                        Resets::otherGoesDown),
                FaultCase.of(
                        "F112",
                        "reset of an old disk whose address another machine has by now",
                        Resets::oldDisk),
                FaultCase.of(
                                "F114",
                                "reset after a join that died while its member was added",
                                Resets::diedAdding)
                        .usually(),
                FaultCase.of("F108", "reset while no API server can be reached", Resets::noApi),
                FaultCase.atTheEnd("F110", "reset of the last member", Resets::lastMember)));
        return List.copyOf(cases);
    }

    private static FaultCase killed(String state) {
        return FaultCase.of(
                "F111",
                "kill -9 of a reset that has noted " + state.toUpperCase(Locale.ROOT),
                trial -> {
                    trial.grow(2);
                    trial.cluster()
                            .etcdctl(
                                    trial.node(1),
                                    "move-leader "
                                            + trial.member(trial.node(2))
                                                    .orElseThrow()
                                                    .id());
                    var killed = trial.cluster()
                            .startReset(
                                    Tool.KJADM,
                                    trial.node(2),
                                    List.of(),
                                    "KJADM_FAILPOINT=" + state + ":after=exit137")
                            .outcome();
                    assertEquals(137, killed.status(), killed::everything);
                    trial.cluster().reset(Tool.KJADM, trial.node(2));
                    trial.assertGone(trial.node(2));
                    trial.cluster().assertVoters(trial.node(1));
                });
    }

    private static void lastMember(Trial trial) {
        var node = trial.node(1);
        Scene.failed(trial.cluster().startReset(Tool.KJADM, node).outcome(), "--force-last-member");
        trial.cluster().assertVoters(node);
        trial.cluster()
                .startReset(Tool.KJADM, node, List.of("--force-last-member"))
                .outcome()
                .orFail();
        assertFalse(node.exists("/var/lib/etcd/member"), "the data is still in its place");
        var snapshot = node.shell("ls /var/lib/kjadm-snapshots/*.db");
        assertTrue(node.shell("ETCDCTL_API=3 etcdctl snapshot status -w simple " + snapshot)
                .matches("(?s).*[0-9a-f]+, .*"));
        System.out.println("[faults]   a snapshot stays: " + node.shell("ls -l " + snapshot));
    }

    private static void otherDown(Trial trial) {
        trial.grow(2);
        trial.takeEtcdAway(trial.node(1));
        var kept = trial.cluster().startReset(Tool.KJADM, trial.node(2)).outcome();
        trial.startEtcd(trial.node(1));
        Scene.failed(kept, "node1");
        assertEquals(2, trial.cluster().members(trial.node(1)).size());
        assertTrue(trial.node(2).exists("/var/lib/etcd/member"), "the data is gone");
        trial.assertJoined(1, 2);
    }

    private static void otherGoesDown(Trial trial) {
        trial.grow(3);
        var reset = trial.cluster()
                .startReset(
                        Tool.KJADM,
                        trial.node(3),
                        List.of(),
                        "KJADM_FAILPOINT=retiring:after=sleep(10000)");
        Eventually.passes(
                Scene.LONG,
                () -> assertTrue(
                        trial.node(3).exists("/etc/kubernetes/tmp/kjadm-reset/journal.json"),
                        reset.output()));
        trial.takeEtcdAway(trial.node(2));
        var refused = reset.outcome();
        trial.startEtcd(trial.node(2));
        Scene.failed(refused, "would leave etcd without a quorum", "node2");
        trial.assertJoined(1, 2, 3);
    }

    /** Node 3 gets the disk that node 2 had before it was reset and joined again. */
    private static void oldDisk(Trial trial) {
        trial.grow(2);
        var node = trial.node(2);
        var old = trial.member(node).orElseThrow().id();
        var disk = node.shell("tar -C / -cz etc/kubernetes var/lib/etcd | base64 -w0");
        trial.cluster().reset(Tool.KJADM, node);
        trial.cluster().forget(node);
        trial.cluster().joinControlPlane(Tool.KJADM, node);
        var next = trial.member(node).orElseThrow().id();

        trial.node(3).write("/root/disk", disk);
        trial.node(3).shell("base64 -d /root/disk | tar -C / -xz && rm /root/disk");
        var refused = trial.node(3).exec("bash", "-c", "echo y | kjadm reset");
        Scene.failed(refused, next, "not shown to be this node's", "member " + old);
        trial.assertJoined(1, 2);
        var forced = trial.cluster().startReset(Tool.KJADM, trial.node(3)).outcome();
        Scene.failed(forced, "its data was moved");
        trial.assertJoined(1, 2);
        trial.node(3).wipe();
    }

    private static void diedAdding(Trial trial) {
        var died = trial.cluster()
                .startJoin(Tool.KJADM, trial.node(2), "KJADM_FAILPOINT=added:before=exit137")
                .outcome();
        assertEquals(137, died.status(), died::everything);
        assertEquals(2, trial.cluster().members(trial.node(1)).size(), "its member is listed");
        trial.cluster().reset(Tool.KJADM, trial.node(2));
        assertEquals(1, trial.cluster().members(trial.node(1)).size(), "and gone again");
        trial.cluster().forget(trial.node(2));
        var next =
                trial.cluster().tryJoinControlPlane(Tool.KJADM, trial.node(3)).orFail();
        assertFalse(next.everything().contains("another member is joining"), next::everything);
        trial.assertJoined(1, 3);
    }

    private static void noApi(Trial trial) {
        trial.grow(2);
        for (int i = 1; i <= 2; i++) {
            trial.node(i).shell("mv /etc/kubernetes/manifests/kube-apiserver.yaml /root/");
        }
        var reset = trial.cluster().startReset(Tool.KJADM, trial.node(2)).outcome();
        trial.node(1).shell("mv /root/kube-apiserver.yaml /etc/kubernetes/manifests/");
        trial.node(2).shell("rm -f /root/kube-apiserver.yaml");
        reset.orFail();
        trial.assertGone(trial.node(2));
        trial.cluster().assertVoters(trial.node(1));
    }
}
