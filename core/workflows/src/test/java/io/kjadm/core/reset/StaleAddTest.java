package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The add that a join of this node had noted never came through, and the address is another's now. */
class StaleAddTest {

    private final ResetLab lab = new ResetLab();

    private MemberId anotherJoins(boolean learner) {
        return lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), learner);
    }

    private void endsWithoutAChange() {
        lab.reset().conclude();
        assertEquals(List.of(), lab.etcd.changes());
        assertFalse(lab.files.exists(ResetLab.JOIN_NOTE));
    }

    @Test
    void aVoterAtTheAddressIsNotWhatTheJoinHasAdded() {
        lab.diedWhileAdding("c1");
        lab.etcd.start(anotherJoins(false), "cp-4b");
        endsWithoutAChange();
        assertTrue(lab.listed("cp-4b"), lab.etcd.members().toString());
    }

    /** The machine was set up again under its name, on another disk. */
    @Test
    void norIsOneOfTheSameName() {
        lab.diedWhileAdding("c1");
        lab.etcd.start(anotherJoins(false), "cp-4");
        endsWithoutAChange();
        assertTrue(lab.listed("cp-4"), lab.etcd.members().toString());
    }

    @Test
    void norIsALearnerThatHasStarted() {
        lab.diedWhileAdding("c1");
        lab.etcd.start(anotherJoins(true), "cp-4b");
        endsWithoutAChange();
        assertTrue(lab.listed("cp-4b"), lab.etcd.members().toString());
    }

    /** Another cluster is where the join's was. */
    @Test
    void norIsAnythingWhereTheJoinWasOfAnotherCluster() {
        lab.diedWhileAdding("feedbeef");
        MemberId other = anotherJoins(true);
        endsWithoutAChange();
        assertTrue(
                lab.etcd.members().stream().anyMatch(member -> member.id().equals(other)),
                lab.etcd.members().toString());
    }
}
