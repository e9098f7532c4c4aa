package io.kjadm.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.cluster.Writer;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Running;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** What may happen to the new member between its add and its promotion. */
final class Learners {
    private static final Duration PAUSE = Duration.ofSeconds(6);
    /** At the learner: what the leader, and nobody else, sends to its peer port. */
    private static final String FROM_LEADER = "-s %s -p tcp --dport 2380";

    private static final String TO_LEADER = "-d %s -p tcp --dport 2380";
    private static final String SHORT_STALL = "--join-stall-timeout=20s";

    private Learners() {}

    static List<FaultCase> cases() {
        return List.of(
                FaultCase.of("F17", "the learner's etcd is killed once", Learners::killedOnce),
                FaultCase.of(
                        "F18",
                        "the learner's etcd ends at once: a flag it does not know",
                        Learners::badFlag),
                FaultCase.of(
                                "F18",
                                "no etcd in the image, 100 writes a second",
                                Learners::noEtcdInTheImage)
                        .usually(),
                FaultCase.of(
                        "F19",
                        "the learner and the leader are cut off from each other",
                        Learners::withoutLeader),
                FaultCase.of(
                        "F20",
                        "the leader cannot reach the learner, and need not",
                        Learners::unreachedWithAWholeLog),
                FaultCase.of(
                        "F20 F59",
                        "the leader cannot reach the learner with its snapshot",
                        Learners::unreachedWithASnapshot),
                FaultCase.of(
                        "F20 F59",
                        "the learner cannot reach the leader's peer port",
                        Learners::cannotAskForTheMembers),
                FaultCase.of(
                        "F21",
                        "the learner cannot reach one of the followers",
                        Learners::oneFollower),
                FaultCase.of("F23", "the learner's disk is full", Learners::fullDisk),
                FaultCase.of(
                        "F25", "a database of 200 MB over a line of 40 Mbit/s", Learners::slowLine),
                FaultCase.of("F26", "500 writes a second meanwhile", Learners::heavyWrites),
                FaultCase.withOutage(
                        "F27",
                        "the new member's power fails right after its promotion",
                        Learners::powerCutAfterPromotion));
    }

    private static void killedOnce(Trial trial) {
        var join = Scene.pausing(trial, 2, "started:before", PAUSE);
        trial.awaitMember(join, trial.node(2));
        Eventually.passes(Scene.LONG, () -> Scene.killEtcd(trial.node(2)));
        join.outcome().orFail();
        trial.assertJoined(1, 2);
    }

    private static void badFlag(Trial trial) {
        var node = trial.node(2);
        node.write("/root/patches/etcd0+json.yaml", """
                - {op: add, path: /spec/containers/0/command/-, value: --no-such-flag=1}
                """);
        var failed = trial.cluster()
                .tryJoinControlPlaneFromFile(
                        Tool.KJADM, node, "patches: {directory: /root/patches}");
        Scene.failed(failed, "no-such-flag", "removed");
        takenBack(trial, node, failed.took());
        node.shell("rm /root/patches/*");
        trial.cluster()
                .tryJoinControlPlaneFromFile(
                        Tool.KJADM, node, "patches: {directory: /root/patches}")
                .orFail();
        trial.assertJoined(1, 2);
    }

    private static void noEtcdInTheImage(Trial trial) {
        var node = trial.node(2);
        node.breakEtcd();
        try (var writer = Writer.on(trial.node(1), 100)) {
            var failed = trial.cluster().tryJoinControlPlane(Tool.KJADM, node);
            Scene.failed(failed, "removed");
            System.out.println("[faults]   " + Scene.error(failed));
            takenBack(trial, node, failed.took());
            assertEquals(0, writer.writes().failed(), "failed writes");
            System.out.println("[faults]   the faster writer: " + writer.writes());
        }
        node.mendEtcd();
        Scene.joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    private static void takenBack(Trial trial, Node node, Duration took) {
        System.out.printf("[faults]   failed after %.1f s%n", took.toMillis() / 1000.0);
        trial.cluster().assertVoters(trial.node(1));
        assertTrue(took.toMinutes() < 5, took::toString);
        assertTrue(!node.exists(Node.ETCD_MANIFEST), "the manifest stayed");
    }

    /**
     * What the leader has to say goes over the connection that the learner makes, as long as it is
     * entries of the log. Where that has been cut already, it is the case after this one.
     */
    private static void unreachedWithAWholeLog(Trial trial) {
        if (!trial.logIsWhole()) {
            System.out.println("[faults]   the beginning of the log is gone: a snapshot is needed");
            unreachedWithASnapshot(trial);
            return;
        }
        cutOff(trial, FROM_LEADER).outcome().orFail();
        trial.assertJoined(1, 2);
        trial.node(2).unblock();
    }

    /** A snapshot is sent over a connection that the leader makes. */
    private static void unreachedWithASnapshot(Trial trial) {
        trial.outgrowTheLog();
        var join = cutOff(trial, FROM_LEADER);
        Scene.takenBack(
                trial,
                2,
                join,
                "makes no progress",
                "they may not reach port 2380 of this one",
                "open port 2380 from the machines of the other members to this one");
        joinsWithoutTheCut(trial, 2);
    }

    /** A new member asks the voters for the members before anything else. */
    private static void cannotAskForTheMembers(Trial trial) {
        var join = cutOff(trial, TO_LEADER);
        Scene.takenBack(
                trial,
                2,
                join,
                "this node does not reach port 2380 of",
                "open port 2380 from this node to the others");
        joinsWithoutTheCut(trial, 2);
    }

    /** The cut comes after the checks. */
    private static Running cutOff(Trial trial, String match) {
        var join = Scene.pausing(trial, 2, "added:after", PAUSE, SHORT_STALL);
        trial.node(2).block(match.formatted(trial.node(1).address()));
        return join;
    }

    private static void joinsWithoutTheCut(Trial trial, int joiner) {
        trial.node(joiner).unblock();
        Scene.joined(trial, joiner);
        trial.assertJoined(IntStream.rangeClosed(1, joiner).toArray());
    }

    /** The other voter can be asked all the same, so that nothing has to be left. */
    private static void withoutLeader(Trial trial) {
        trial.grow(2);
        var node = trial.node(3);
        var join = Scene.pausing(trial, 3, "added:after", PAUSE, SHORT_STALL);
        var leader = trial.cluster()
                        .leader(trial.node(1))
                        .equals(trial.member(trial.node(1)).orElseThrow().id())
                ? trial.node(1)
                : trial.node(2);
        node.block("-s %s -p tcp".formatted(leader.address()));
        node.block("-d %s -p tcp".formatted(leader.address()));
        Scene.takenBack(
                trial,
                3,
                join,
                "makes no progress",
                "this node does not reach port 2380 of",
                leader.name());
        joinsWithoutTheCut(trial, 3);
    }

    /**
     * It waits: the follower may come back within reach, and the learner has no vote that anybody
     * could miss.
     */
    private static void oneFollower(Trial trial) {
        trial.grow(3);
        var node = trial.node(4);
        var join = Scene.pausing(trial, 4, "added:after", PAUSE);
        var follower = trial.cluster()
                        .leader(trial.node(1))
                        .equals(trial.member(trial.node(3)).orElseThrow().id())
                ? trial.node(2)
                : trial.node(3);
        node.block("-s %s -p tcp".formatted(follower.address()));
        node.block("-d %s -p tcp".formatted(follower.address()));
        Scene.awaitOutput(join, follower.name());
        assertTrue(
                trial.member(node).orElseThrow().learner(),
                "promoted though a voter cannot be reached");
        node.unblock();
        join.outcome().orFail();
        trial.assertJoined(1, 2, 3, 4);
    }

    private static void fullDisk(Trial trial) {
        var node = trial.node(2);
        node.shell("mount -t tmpfs -o size=1500m tmpfs /var/lib/etcd");
        try {
            var join = Scene.pausing(trial, 2, "added:after", PAUSE);
            node.exec("bash", "-c", "dd if=/dev/zero of=/var/lib/etcd/ballast bs=1M 2> /dev/null");
            var failed = Scene.failed(join.outcome(), "space");
            System.out.println("[faults]   " + Scene.error(failed));
            takenBack(trial, node, failed.took());
        } finally {
            node.shell("umount -l /var/lib/etcd");
        }
        Scene.joined(trial, 2);
        trial.assertJoined(1, 2);
    }

    private static void slowLine(Trial trial) {
        var first = trial.node(1);
        first.shell("head -c 1000000 /dev/urandom | base64 -w 0 > /root/value");
        first.shell("""
                cd /etc/kubernetes/pki/etcd
                for i in $(seq 150); do
                    etcdctl --cacert ca.crt --cert peer.crt --key peer.key --endpoints 127.0.0.1:2379 put fill/$i < /root/value
                done > /dev/null""");
        first.shell("tc qdisc add dev eth0 root tbf rate 40mbit burst 64kb latency 400ms");
        try {
            var join = trial.cluster().startJoin(Tool.KJADM, trial.node(2));
            var outcome = join.outcome().orFail();
            System.out.printf(
                    "[faults]   joined after %.1f s%n", outcome.took().toMillis() / 1000.0);
            assertTrue(outcome.stderr().contains("receives the database: "), outcome::stderr);
        } finally {
            first.shell("tc qdisc del dev eth0 root");
            trial.cluster().etcdctl(first, "del --prefix fill/");
        }
        trial.assertJoined(1, 2);
    }

    private static void heavyWrites(Trial trial) {
        try (var writer = Writer.on(trial.node(1), 500)) {
            Scene.joined(trial, 2);
            trial.assertJoined(1, 2);
            assertEquals(0, writer.writes().failed(), "failed writes");
            assertEquals(List.of(), writer.lost(trial.node(2)));
            System.out.println("[faults]   the faster writer: " + writer.writes());
        }
    }

    /** Two voters, one of which does not answer: there is no quorum until it is back. */
    private static void powerCutAfterPromotion(Trial trial) {
        var node = trial.node(2);
        var killed = trial.cluster()
                .startJoin(Tool.KJADM, node, "KJADM_FAILPOINT=promoted:before=exit137")
                .outcome();
        assertEquals(137, killed.status(), killed::everything);
        node.shell("systemctl stop kubelet");
        Scene.killEtcd(node);
        node.shell("sleep 5; systemctl start kubelet");
        Scene.joined(trial, 2);
        trial.assertJoined(1, 2);
    }
}
