package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** What may happen to the members that are there already. */
final class Voters {
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private Voters() {}

    static List<FaultCase> cases() {
        return List.of(
                FaultCase.of("F30",
                        "one voter of three is down, --allow-degraded: etcd itself refuses",
                        Voters::allowedDegraded),
                FaultCase.of("F31", "a voter of three stops between checks and add, and comes back",
                        trial -> stopsAt(trial, "adding:after")),
                FaultCase.of("F32",
                        "a voter of three stops between add and promotion, and comes back",
                        trial -> stopsAt(trial, "promoting:before")),
                FaultCase.withOutage("F34", "the only voter restarts when the add is sent",
                        Voters::restartsAtTheAdd),
                FaultCase.withOutage("F35", "the old voter stops right after the promotion",
                        Voters::oldVoterStops),
                // what the leader had not passed on yet is lost with it
                FaultCase.withOutage("F36", "the leader of three is killed when the add is sent",
                        Voters::leaderKilled),
                // etcd itself loses a write that is on its way to the old leader
                FaultCase.withOutage("F37", "the leader changes every second", Voters::leaderMoves),
                FaultCase.of("F43 F44", "defragmentations and snapshots meanwhile",
                        Voters::defragmentation),
                FaultCase.of("F45", "the API server is away during the etcd join",
                        Voters::apiServerAway));
    }

    private static void allowedDegraded(Trial trial) {
        trial.grow(3);
        trial.stopEtcd(trial.node(3));
        Scene.refused(trial, 4, List.of("--allow-degraded"), "node3");
        trial.startEtcd(trial.node(3));
        Scene.joined(trial, 4, "--allow-degraded");
        trial.assertJoined(1, 2, 3, 4);
    }

    private static void stopsAt(Trial trial, String failpoint) {
        trial.grow(3);
        var join = Scene.pausing(trial, 4, failpoint, PAUSE);
        if (failpoint.endsWith(":before")) {
            Scene.awaitState(trial.node(4), join, "started");
        }
        trial.takeEtcdAway(trial.node(3));
        Scene.awaitOutput(join, "node3");
        trial.startEtcd(trial.node(3));
        join.outcome().orFail();
        trial.assertJoined(1, 2, 3, 4);
    }

    private static void restartsAtTheAdd(Trial trial) {
        var join = Scene.pausing(trial, 2, "adding:after", Duration.ofSeconds(2));
        Scene.killEtcd(trial.node(1));
        var end = Scene.joinedOrTakenBack(trial, 2, join);
        if (end.equals("taken back")) {
            Scene.joined(trial, 2);
        }
        trial.assertJoined(1, 2);
    }

    /**
     * Physics: one of two voters is no quorum. Nothing may be lost, and the same command goes on
     * when it is back.
     */
    private static void oldVoterStops(Trial trial) {
        var join = Scene.pausing(trial, 2, "promoted:after", PAUSE);
        trial.takeEtcdAway(trial.node(1));
        var outcome = join.outcome();
        trial.startEtcd(trial.node(1));
        if (!outcome.succeeded()) {
            System.out.println("[faults]   " + Scene.error(outcome));
            Scene.joined(trial, 2);
        }
        trial.assertJoined(1, 2);
    }

    private static void leaderKilled(Trial trial) {
        trial.grow(3);
        moveLeader(trial, trial.node(2));
        var join = Scene.pausing(trial, 4, "adding:after", Duration.ofSeconds(1));
        Scene.killEtcd(trial.node(2));
        join.outcome().orFail();
        trial.assertJoined(1, 2, 3, 4);
    }

    private static void leaderMoves(Trial trial) throws InterruptedException {
        trial.grow(3);
        var stop = new AtomicBoolean();
        var moving = Thread.ofVirtual().start(() -> {
            for (int i = 0; !stop.get(); i++) {
                moveLeader(trial, trial.node(i % 3 + 1));
                pause(Duration.ofSeconds(1));
            }
        });
        try {
            Scene.joined(trial, 4);
        } finally {
            stop.set(true);
            moving.join();
        }
        trial.assertJoined(1, 2, 3, 4);
    }

    /** Only the leader can hand its office on, and it may have done so meanwhile. */
    private static void moveLeader(Trial trial, Node to) {
        var target = trial.member(to).orElseThrow().id();
        for (int i = 1; i <= 3; i++) {
            trial.cluster().tryEtcdctl(trial.node(i), "move-leader " + target);
        }
    }

    private static void defragmentation(Trial trial) throws InterruptedException {
        trial.grow(2);
        var stop = new AtomicBoolean();
        var busy = Thread.ofVirtual().start(() -> {
            while (!stop.get()) {
                trial.cluster().tryEtcdctl(trial.node(2), "defrag");
                trial.cluster().tryEtcdctl(trial.node(1), "snapshot save /root/backup.db");
                pause(Duration.ofSeconds(1));
            }
        });
        try {
            Scene.joined(trial, 3);
        } finally {
            stop.set(true);
            busy.join();
        }
        trial.assertJoined(1, 2, 3);
    }

    private static void apiServerAway(Trial trial) {
        var join = Scene.pausing(trial, 2, "added:after", PAUSE);
        trial.node(1).shell("mv /etc/kubernetes/manifests/kube-apiserver.yaml /root/");
        Scene.awaitOutput(join, "votes");
        trial.node(1).shell("mv /root/kube-apiserver.yaml /etc/kubernetes/manifests/");
        var outcome = join.outcome();
        if (!outcome.succeeded()) {
            System.out.println("[faults]   " + Scene.error(outcome));
            trial.cluster().assertVoters(trial.node(1), trial.node(2));
            assertEquals(0,
                    trial.cluster().tryJoinControlPlane(Tool.KJADM, trial.node(2)).status());
        }
        trial.assertJoined(1, 2);
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
