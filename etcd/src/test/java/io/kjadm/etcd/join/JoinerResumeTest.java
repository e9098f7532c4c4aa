package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.util.List;

/** A join that goes on where an earlier run of the program has died. */
class JoinerResumeTest extends JoinScene {

    @Test
    void addThatWasUnderWayWhenTheProgramDiedIsFound() {
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "c1", List.of(), bench.now)
                .adding(cluster.members(), bench.now));
        MemberId id = cluster.plant(peerUrl("cp-4"), true);
        joined();
        assertEquals(id, bench.own().id());
        assertEquals(List.of("promote"), verbs());
    }

    @Test
    void addThatWasNeverSentWhenTheProgramDiedIsSent() {
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "c1", List.of(), bench.now)
                .adding(cluster.members(), bench.now));
        joined();
        assertEquals(List.of("addLearner", "promote"), verbs());
        assertTrue(bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0);
    }

    @Test
    void learnerThatWasListedBeforeTheAddIsNotOurs() {
        MemberId other = cluster.plant(peerUrl("cp-4"), true);
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "c1", List.of(), bench.now)
                .adding(cluster.members(), bench.now));
        failed(FailReason.UNKNOWN_LEARNER);
        assertInstanceOf(RollbackOutcome.NothingListed.class, bench.rollBack().outcome());
        assertEquals(other, bench.own().id());
    }

    @Test
    void everyStateIsResumed() {
        for (JoinState state : List.of(
                JoinState.ADDED, JoinState.MANIFEST, JoinState.STARTED, JoinState.PROMOTING)) {
            SimulatedCluster three = SimulatedCluster.ofVoters(3);
            bench = new JoinBench(three, "cp-4");
            MemberId id = three.plant(peerUrl("cp-4"), true);
            if (state.compareTo(JoinState.MANIFEST) > 0) {
                bench.start(id);
            }
            bench.noted(state, id);
            joined();
            assertEquals(id, bench.own().id(), state.name());
            assertEquals(List.of("promote"), verbs(), state.name());
        }
    }

    @Test
    void promotionThatCameThroughWhenTheProgramDiedIsFound() {
        MemberId id = cluster.plant(peerUrl("cp-4"), false);
        bench.start(id);
        bench.noted(JoinState.PROMOTING, id);
        joined();
        assertEquals(List.of(), verbs());
    }

    @Test
    void halfTakenBackJoinIsFinishedBeforeTheNextBegins() {
        MemberId id = cluster.plant(peerUrl("cp-4"), true);
        bench.noted(JoinState.STARTED, id);
        bench.journal.write(bench.journal.read().orElseThrow().leaving(true, bench.now));
        joined();
        assertEquals("remove " + id, cluster.changes().getFirst());
        assertFalse(bench.own().id().equals(id));
        assertEquals(1, bench.node.takenAway);
    }

    @Test
    void learnerThatSomebodyRemovedWhileNothingRanIsAddedAnew() {
        bench.noted(JoinState.MANIFEST, new MemberId(0x77));
        joined();
        assertEquals(1, bench.node.takenAway);
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void journalOfAnotherClusterIsRefusedAndKept() {
        bench.journal.write(
                JoinEntry.prepared(bench.wanted, "earlier", "beef", List.of(), bench.now)
                        .member(new MemberId(0x77), JoinState.STARTED, 0, bench.now));
        assertEquals(
                "an unfinished join of this node belongs to another etcd cluster, beef",
                refused(FailReason.OTHER_CLUSTER).what());
        bench.rollBack();
        assertTrue(bench.journal.read().isPresent());
        assertEquals(List.of(), verbs());
    }

    @Test
    void journalOfAnotherAddressIsRefused() {
        bench.journal.write(JoinEntry.prepared(
                        new NewMember("cp-4", peerUrl("elsewhere")),
                        "earlier",
                        "c1",
                        List.of(),
                        bench.now)
                .member(new MemberId(0x77), JoinState.STARTED, 0, bench.now));
        assertEquals(
                "an unfinished join of this node is for etcd member cp-4 at https://elsewhere:2380",
                refused(FailReason.OTHER_MEMBER).what());
    }

    @Test
    void preparedJoinOfAnotherClusterHasDoneNothingAndIsForgotten() {
        bench.journal.write(
                JoinEntry.prepared(bench.wanted, "earlier", "beef", List.of(), bench.now));
        joined();
    }
}
