package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.EtcdProxy;
import io.kjadm.e2e.cluster.EtcdProxy.Fault;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.Node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/** What may happen to the members that are there already. */
final class Voters {
    private static final Duration PAUSE = Duration.ofSeconds(10);
    /** In which an etcd has ended for certain. */
    private static final Duration LONG_PAUSE = Duration.ofSeconds(30);
    /** From when a request is sent until it has arrived. */
    private static final Duration UNDER_WAY = Duration.ofMillis(500);

    private Voters() {}

    static List<FaultCase> cases() {
        return List.of(
                FaultCase.of(
                        "F30",
                        "one voter of three is down, --allow-degraded: etcd itself refuses",
                        Voters::allowedDegraded),
                FaultCase.of(
                        "F31",
                        "a voter of three stops between checks and add, and comes back",
                        trial -> stopsAt(trial, "adding:after")),
                FaultCase.of(
                        "F32",
                        "a voter of three stops between add and promotion, and comes back",
                        trial -> stopsAt(trial, "promoting:before")),
                FaultCase.withOutage(
                        "F34",
                        "the only voter is killed with the add in its hands",
                        trial -> killedAtTheAdd(trial, 1, 2, false)),
                FaultCase.withOutage(
                        "F34",
                        "the only voter is killed when it has done the add, before it says so",
                        trial -> killedAtTheAdd(trial, 1, 2, true)),
                FaultCase.withOutage(
                        "F35",
                        "the old voter stops right after the promotion",
                        Voters::oldVoterStops),
                // what the leader had not passed on yet is lost with it
                FaultCase.withOutage(
                        "F36",
                        "the leader of three is killed with the add in its hands",
                        trial -> leaderKilled(trial, false)),
                FaultCase.withOutage(
                        "F36",
                        "the leader of three is killed when it has done the add",
                        trial -> leaderKilled(trial, true)),
                // etcd itself loses a write that is on its way to the old leader
                FaultCase.withOutage("F37", "the leader changes every second", Voters::leaderMoves),
                FaultCase.of(
                        "F43 F44",
                        "defragmentations and snapshots meanwhile",
                        Voters::defragmentation),
                FaultCase.of(
                        "F45",
                        "the API server is away during the etcd join",
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

    /**
     * It is read back whether the add was done. One that died with the member is sent again, and
     * one that was done is not.
     *
     * @param victim the leader's number
     * @param done whether it is killed after it has done the add, or before
     */
    private static void killedAtTheAdd(Trial trial, int victim, int joiner, boolean done) {
        var etcd = trial.node(victim);
        var kill = once(() -> Scene.killEtcd(etcd));
        Fault fault = done
                ? new Fault.BrokenAfter(kill)
                : new Fault.Between(once(() -> Scene.freezeEtcd(etcd)), () -> {
                    pause(UNDER_WAY);
                    kill.run();
                });
        var proxies = new ArrayList<EtcdProxy>();
        try {
            for (int i = 1; i < joiner; i++) {
                proxies.add(EtcdProxy.between(trial.node(joiner), trial.node(i))
                        .next(EtcdProxy.ADD, fault));
            }
            Scene.joined(trial, joiner);
            int adds = proxies.stream()
                    .mapToInt(proxy -> proxy.calls(EtcdProxy.ADD))
                    .sum();
            System.out.printf("[faults]   %d requests to add were sent%n", adds);
            assertTrue(done ? adds == 1 : adds >= 2, () -> adds + " requests to add were sent");
        } finally {
            proxies.forEach(EtcdProxy::close);
        }
        trial.assertJoined(IntStream.rangeClosed(1, joiner).toArray());
    }

    private static Runnable once(Runnable fault) {
        var open = new AtomicBoolean(true);
        return () -> {
            if (open.getAndSet(false)) {
                fault.run();
            }
        };
    }

    /**
     * Physics: one of two voters is no quorum. Nothing may be lost, and the same command goes on
     * when it is back.
     */
    private static void oldVoterStops(Trial trial) {
        var join = Scene.pausing(trial, 2, "promoted:after", LONG_PAUSE);
        trial.takeEtcdAway(trial.node(1));
        assertFalse(join.ended(), join::output);
        var failed = Scene.failed(
                join.outcome(),
                "two voters need each other",
                "node1",
                "nothing is lost",
                "run the same command again");
        System.out.println("[faults]   " + Scene.error(failed));
        trial.startEtcd(trial.node(1));
        Scene.joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    private static void leaderKilled(Trial trial, boolean done) {
        trial.grow(3);
        moveLeader(trial, trial.node(2));
        assertEquals(
                trial.member(trial.node(2)).orElseThrow().id(),
                trial.cluster().leader(trial.node(1)),
                "node2 leads");
        killedAtTheAdd(trial, 2, 4, done);
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

    /** From before the member is started until it votes. */
    private static void apiServerAway(Trial trial) {
        var first = trial.node(1);
        var join = Scene.pausing(trial, 2, "added:after", PAUSE);
        first.shell("mv /etc/kubernetes/manifests/kube-apiserver.yaml /root/");
        Scene.awaitOutput(join, " votes");
        assertFalse(
                first.exec("curl", "-sfk", "-m", "5", "https://%s/livez".formatted(first.at(6443)))
                        .succeeded(),
                "the API server was not away");
        assertFalse(join.ended(), join::output);
        first.shell("mv /root/kube-apiserver.yaml /etc/kubernetes/manifests/");
        join.outcome().orFail();
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
