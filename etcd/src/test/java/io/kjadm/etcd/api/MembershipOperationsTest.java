package io.kjadm.etcd.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.Removal;
import io.kjadm.etcd.RemovalPlan;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;
import io.kjadm.etcd.join.JoinLimits;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

class MembershipOperationsTest {

    private static final URI NEW = SimulatedCluster.peerUrl("cp-4");

    private static MembershipOperations on(EtcdCluster cluster) {
        return new MembershipOperations(cluster, InstantSource.system());
    }

    private static Addition.Refused refused(SimulatedCluster cluster) {
        int before = cluster.members().size();
        Addition.Refused refused =
                assertInstanceOf(Addition.Refused.class, on(cluster).addLearner(NEW));
        assertEquals(before, cluster.members().size());
        return refused;
    }

    @Test
    void aLearnerIsAddedAndTheListSaysWhatItIsStartedWith() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        Addition.Added added =
                assertInstanceOf(Addition.Added.class, on(cluster).addLearner(NEW));
        assertTrue(added.learner().learner());
        assertEquals(4, added.members().size());
        assertEquals(
                "cp-1=https://cp-1:2380,cp-2=https://cp-2:2380,cp-3=https://cp-3:2380,cp-4=https://cp-4:2380",
                added.initialCluster("cp-4"));
    }

    @Test
    void aSecondLearnerIsRefused() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.plant(SimulatedCluster.peerUrl("cp-5"), true);
        assertEquals(
                Optional.of(CommonReason.JOINING), refused(cluster).problem().reason());
    }

    @Test
    void withASilentVoterNothingIsAdded() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.stop(cluster.id("cp-3"));
        assertEquals(Set.of("cp-3"), Named.members(refused(cluster).problem().why()));
    }

    @Test
    void theSamePeerUrlIsNotAddedTwice() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        on(cluster).addLearner(NEW);
        assertEquals(
                Optional.of(CommonReason.EXISTS), refused(cluster).problem().reason());
    }

    @Test
    void anAnswerThatIsLostIsReadFromTheList() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.next(Fault.REPLY_LOST);
        assertInstanceOf(Addition.Added.class, on(cluster).addLearner(NEW));
    }

    /** It may be applied until etcd's own limit is over; a second add would be a second member. */
    @Test
    void whatMayBeAppliedLateIsNotSaidToHaveFailed() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.next(Fault.REQUEST_LOST);
        Addition.Unknown unknown =
                assertInstanceOf(Addition.Unknown.class, on(cluster).addLearner(NEW));
        assertEquals(EtcdCluster.LATE_CHANGE, unknown.pause());
    }

    @Test
    void theQuorumIsNotRemoved() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.stop(cluster.id("cp-3"));
        Removal.Declined declined = assertInstanceOf(
                Removal.Declined.class,
                on(cluster).remove(cluster.id("cp-2"), Removal.Progress.NONE));
        assertInstanceOf(RemovalPlan.Refused.class, declined.plan());
        assertInstanceOf(
                Removal.Confirmed.class,
                on(cluster).remove(cluster.id("cp-3"), Removal.Progress.NONE));
    }

    @Test
    void whoIsNotListedIsNotPromoted() {
        assertThrows(
                IllegalArgumentException.class,
                () -> on(SimulatedCluster.ofVoters(3))
                        .promotion(new MemberId(99), JoinLimits.DEFAULTS));
    }
}
