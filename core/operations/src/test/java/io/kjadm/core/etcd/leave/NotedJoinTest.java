package io.kjadm.core.etcd.leave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;

/** Which listed member is what an unfinished join has added, and since when that is certain. */
class NotedJoinTest {

    private final VirtualWaiter clock = new VirtualWaiter();
    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(3);

    private NotedJoin noted(JoinState state, Optional<MemberId> member) {
        return new NotedJoin(
                Optional.of(new JoinEntry(
                        state,
                        "earlier",
                        "c1",
                        "cp-4",
                        SimulatedCluster.peerUrl("cp-4"),
                        clock.now(),
                        etcd.members(),
                        member,
                        Optional.empty(),
                        0,
                        false)),
                clock);
    }

    private void passes(Duration time) {
        clock.pause("test", "time passes", time);
    }

    @Test
    void whoSentNothingHasAddedNothing() {
        NotedJoin join = noted(JoinState.PREPARED, Optional.empty());
        etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        assertEquals(Optional.empty(), join.among(etcd.members()));
    }

    @Test
    void whatHasTheUrlOfAnAddThatWasSentIsItsMember() {
        NotedJoin join = noted(JoinState.ADDING, Optional.empty());
        MemberId added = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        assertEquals(added, join.among(etcd.members()).orElseThrow().id());
        assertEquals(Optional.empty(), join.late(etcd.members()));
    }

    @Test
    void nothingIsLateForWhoSentNothing() {
        assertEquals(
                Optional.empty(), noted(JoinState.PREPARED, Optional.empty()).late(etcd.members()));
        assertEquals(Optional.empty(), new NotedJoin(Optional.empty(), clock).late(etcd.members()));
    }

    @Test
    void anAddMayBeLateForJustSoLong() {
        NotedJoin join = noted(JoinState.ADDING, Optional.empty());
        passes(EtcdCluster.LATE_CHANGE.minusMillis(1));
        assertTrue(join.late(etcd.members()).isPresent());
        passes(Duration.ofMillis(1));
        assertEquals(Optional.empty(), join.late(etcd.members()));
    }

    @Test
    void aPromotionMayBeLateAsLongAsItsMemberLearns() {
        MemberId learner = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        NotedJoin join = noted(JoinState.PROMOTING, Optional.of(learner));
        assertTrue(join.late(etcd.members()).isPresent());
        etcd.promoteByOther(learner);
        assertEquals(Optional.empty(), join.late(etcd.members()));
    }
}
