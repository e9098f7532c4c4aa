package io.kjadm.core.etcd.leave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
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
        return noted(state, member, "c1");
    }

    private NotedJoin noted(JoinState state, Optional<MemberId> member, String cluster) {
        return new NotedJoin(
                Optional.of(new JoinEntry(
                        state,
                        "earlier",
                        cluster,
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

    private EtcdHealth seen() {
        return EtcdHealth.ask(etcd);
    }

    private void passes(Duration time) {
        clock.pause("test", "time passes", time);
    }

    @Test
    void whoSentNothingHasAddedNothing() {
        NotedJoin join = noted(JoinState.PREPARED, Optional.empty());
        etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        assertEquals(Optional.empty(), join.among(seen()));
    }

    @Test
    void whatHasTheUrlOfAnAddThatWasSentIsItsMember() {
        NotedJoin join = noted(JoinState.ADDING, Optional.empty());
        MemberId added = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        assertEquals(added, join.among(seen()).orElseThrow().id());
        assertEquals(Optional.empty(), join.late(seen()));
    }

    /** Its etcd would be set up only after the ID was noted. */
    @Test
    void whatHasStartedIsAnotherMachines() {
        NotedJoin join = noted(JoinState.ADDING, Optional.empty());
        MemberId other = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        etcd.start(other, "cp-4");
        assertEquals(Optional.empty(), join.among(seen()));
        assertTrue(join.late(seen()).isPresent());
    }

    @Test
    void anAddToAnotherClusterHasAddedNothingAndIsNotLate() {
        NotedJoin join = noted(JoinState.ADDING, Optional.empty(), "feedbeef");
        etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        assertEquals(Optional.empty(), join.among(seen()));
        assertEquals(Optional.empty(), join.late(seen()));
    }

    @Test
    void asLongAsNoMemberTellsItsClusterItMayBeThatOfTheJoin() {
        NotedJoin join = noted(JoinState.ADDING, Optional.empty(), "feedbeef");
        etcd.members().forEach(member -> etcd.silent(member.id()));
        assertTrue(join.late(seen()).isPresent());
        MemberId added = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        assertEquals(added, join.among(seen()).orElseThrow().id());
    }

    @Test
    void nothingIsLateForWhoSentNothing() {
        assertEquals(
                Optional.empty(), noted(JoinState.PREPARED, Optional.empty()).late(seen()));
        assertEquals(Optional.empty(), new NotedJoin(Optional.empty(), clock).late(seen()));
    }

    @Test
    void anAddMayBeLateForJustSoLong() {
        NotedJoin join = noted(JoinState.ADDING, Optional.empty());
        passes(EtcdCluster.LATE_CHANGE.minusMillis(1));
        assertTrue(join.late(seen()).isPresent());
        passes(Duration.ofMillis(1));
        assertEquals(Optional.empty(), join.late(seen()));
    }

    @Test
    void aPromotionMayBeLateAsLongAsItsMemberLearns() {
        MemberId learner = etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        NotedJoin join = noted(JoinState.PROMOTING, Optional.of(learner));
        assertTrue(join.late(seen()).isPresent());
        etcd.promoteByOther(learner);
        assertEquals(Optional.empty(), join.late(seen()));
    }
}
