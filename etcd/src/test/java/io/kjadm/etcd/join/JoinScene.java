package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A cluster of three and a node that joins it, with what the tests of joins ask and expect. */
abstract class JoinScene {

    static final RejoinOptions DEGRADED =
            new RejoinOptions(false, false, false, true, false, Optional.empty());

    final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
    JoinBench bench = new JoinBench(cluster, "cp-4");

    private static String verb(String change) {
        return change.substring(0, change.indexOf(' '));
    }

    List<String> verbs() {
        return bench.cluster.changes().stream().map(JoinScene::verb).toList();
    }

    void joined() {
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertTrue(bench.own().voter());
        assertTrue(bench.journal.read().isEmpty(), "a join that is done needs no journal");
    }

    static Problem failed(FailReason reason, JoinStep step) {
        var failed = assertInstanceOf(JoinStep.Failed.class, step);
        assertEquals(reason, failed.reason(), failed.problem()::toString);
        return failed.problem();
    }

    /** The join ends so. */
    Problem failed(FailReason reason) {
        return failed(reason, bench.finish());
    }

    /** The next step ends it so. */
    Problem refused(FailReason reason) {
        return failed(reason, bench.go());
    }

    /** The members that a text names. */
    static Set<String> named(String text) {
        return Named.members(text);
    }

    JoinStep.Waiting waits(WaitReason reason) {
        var waiting = assertInstanceOf(JoinStep.Waiting.class, bench.go());
        assertEquals(reason, waiting.reason(), waiting.detail());
        return waiting;
    }

    /** Added and its manifest written, and the kubelet does nothing about it. */
    MemberId unstarted() {
        bench.node.kubelet = false;
        waits(WaitReason.STARTING);
        return bench.own().id();
    }
}
