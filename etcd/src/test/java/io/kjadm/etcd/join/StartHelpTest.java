package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.MemberId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A learner is started again only while it has neither served anybody nor may have a vote. */
class StartHelpTest extends JoinScene {

    @Test
    void aLearnerThatIsNotHeardOfIsHelped() {
        unstarted();
        int helped = bench.node.helped;
        assertTrue(helped > 0);
        waits(WaitReason.STARTING);
        assertTrue(bench.node.helped > helped);
    }

    @Test
    void whoHelpsItKnowsWhetherItHasAnnouncedItself() {
        MemberId id = unstarted();
        assertFalse(bench.node.helpedAnnounced);
        bench.start(id);
        cluster.silent(id);
        waits(WaitReason.CATCHING_UP);
        assertTrue(bench.node.helpedAnnounced);
    }

    @Test
    void oneThatHasServedOnceIsLeftAlone() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 5000);
        waits(WaitReason.CATCHING_UP);
        int helped = bench.node.helped;
        cluster.silent(id);
        waits(WaitReason.CATCHING_UP);
        assertEquals(helped, bench.node.helped);
    }

    @Test
    void oneThatIsBeingPromotedIsLeftAlone() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.silent(id);
        bench.noted(JoinState.PROMOTING, id);
        bench.rerun();
        bench.node.helped = 0;
        bench.go();
        assertEquals(0, bench.node.helped);
    }

    /** What it costs to wait for its answer is what its start takes longer. */
    @Test
    void anAnswerOfOneThatStartsIsNotWaitedForInTheFirstSeconds() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.silent(id);
        cluster.askedHastily().clear();
        waits(WaitReason.CATCHING_UP);
        assertEquals(Set.of(id), Set.copyOf(cluster.askedHastily()));
        bench.pass(Duration.ofSeconds(10));
        cluster.askedHastily().clear();
        waits(WaitReason.CATCHING_UP);
        assertEquals(List.of(), cluster.askedHastily());
    }

    @Test
    void oneThatHasServedIsWaitedFor() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 5000);
        waits(WaitReason.CATCHING_UP);
        cluster.askedHastily().clear();
        waits(WaitReason.CATCHING_UP);
        assertEquals(List.of(), cluster.askedHastily());
    }

    /** From its promotion on it may be a voter, whose silence means more. */
    @Test
    void oneThatIsBeingPromotedIsWaitedFor() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.silent(id);
        bench.noted(JoinState.PROMOTING, id);
        bench.rerun();
        cluster.askedHastily().clear();
        bench.go();
        assertEquals(List.of(), cluster.askedHastily());
    }
}
