package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster.Fault;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A join that failed, or was stopped, is taken back. */
class TakingBackTest extends JoinScene {

    @Test
    void withdrawalReadsBackALostReply() {
        unstarted();
        cluster.next(Fault.REPLY_LOST);
        assertInstanceOf(Withdrawal.Removed.class, bench.withdraw().outcome());
        assertEquals(List.of("addLearner", "remove"), verbs());
        assertTrue(bench.journal.read().isEmpty());
    }

    @Test
    void withdrawalWaitsForAPromotionThatWasSent() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.next(Fault.APPLIED_LATE);
        waits(WaitReason.CATCHING_UP);
        assertInstanceOf(Withdrawal.Votes.class, bench.withdraw().outcome());
        assertTrue(bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0);
        assertEquals(4, cluster.members().size());
        assertEquals(0, bench.node.takenAway, "a member that votes is not stopped");
    }

    @Test
    void withdrawalFindsAnAddThatCameLate() {
        cluster.next(Fault.APPLIED_LATE);
        waits(WaitReason.UNCONFIRMED);
        cluster.tick();
        assertInstanceOf(Withdrawal.Removed.class, bench.withdraw().outcome());
        assertEquals(3, cluster.members().size());
    }

    @Test
    void withdrawalOfALostRequestWaitsUntilItCannotComeAnyMore() {
        cluster.next(Fault.REQUEST_LOST);
        waits(WaitReason.UNCONFIRMED);
        assertInstanceOf(Withdrawal.NothingListed.class, bench.withdraw().outcome());
        assertTrue(bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0);
    }

    @Test
    void withdrawalIsTriedAgainWhenTheClusterDoesNotAnswerForAMoment() {
        unstarted();
        cluster.failLists(2);
        assertInstanceOf(Withdrawal.Removed.class, bench.withdraw().outcome());
    }

    @Test
    void withdrawalWithoutAQuorumEndsAndTheNextRunFinishesIt() {
        MemberId id = unstarted();
        cluster.stop(cluster.id("cp-1"));
        cluster.stop(cluster.id("cp-2"));
        assertInstanceOf(Withdrawal.Kept.class, bench.withdraw().outcome());
        assertTrue(bench.journal.read().isPresent(), "the next run has to know");
        cluster.start(cluster.id("cp-1"), "cp-1");
        cluster.start(cluster.id("cp-2"), "cp-2");
        bench.rerun();
        bench.node.kubelet = true;
        joined();
        assertEquals(4, cluster.members().size());
        assertTrue(bench.own().id().equals(id), "it had not begun to remove it");
    }

    @Test
    void withdrawalThatEtcdRefusesToTheEndSaysSo() {
        MemberId id = unstarted();
        Fault[] always = new Fault[400];
        Arrays.fill(always, Fault.UNHEALTHY);
        cluster.next(always);
        var kept = assertInstanceOf(Withdrawal.Kept.class, bench.withdraw().outcome());
        assertTrue(kept.what().contains(id + "") && kept.what().contains("is still listed"),
                kept.toString());
        assertTrue(kept.why().contains("unhealthy cluster"), kept.toString());
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.takingBack().multipliedBy(2)) < 0,
                "it takes " + bench.elapsed());
        assertTrue(bench.journal.read().isPresent(), "the next run has to know");
    }

    @Test
    void learnerIsKeptWhenAsked() {
        MemberId id = unstarted();
        bench.options = new RejoinOptions(false, false, true, false, Optional.empty());
        bench.rerun();
        bench.go();
        assertInstanceOf(Withdrawal.StaysAsAsked.class, bench.withdraw().outcome());
        assertEquals(id, bench.own().id());
        bench.rerun();
        bench.node.kubelet = true;
        joined();
        assertEquals(id, bench.own().id());
    }
}
