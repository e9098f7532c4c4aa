package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

/** A learner of somebody's is promoted from elsewhere. */
class PromotionTest {

    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
    private Instant now = Instant.parse("2026-02-03T04:05:06Z");
    private MemberId learner;
    private MemberJoinExecutor promotion;

    @BeforeEach
    void aLearnerThatRuns() {
        learner = cluster.plant(SimulatedCluster.peerUrl("cp-4"), true);
        cluster.start(learner, "cp-4");
        cluster.write(100_000);
    }

    private void begin() {
        EtcdHealth health = EtcdHealth.ask(cluster);
        promotion = Promotion.of(
                cluster,
                health,
                health.find(learner).orElseThrow(),
                JoinLimits.DEFAULTS,
                () -> now);
    }

    private JoinStep last() {
        if (promotion == null) {
            begin();
        }
        for (int i = 0; i < 200; i++) {
            JoinStep step = promotion.step();
            if (!(step instanceof JoinStep.Progressed)) {
                return step;
            }
        }
        throw new AssertionError("it goes round in circles");
    }

    @Test
    void oneThatIsFitIsPromoted() {
        Member voter = assertInstanceOf(JoinStep.Joined.class, last()).member();
        assertEquals(learner, voter.id());
        assertEquals(List.of("promote " + learner), cluster.changes());
    }

    @Test
    void oneThatIsBehindIsWaitedFor() {
        cluster.lag(learner, 50_000);
        assertEquals(
                WaitReason.CATCHING_UP,
                assertInstanceOf(JoinStep.Waiting.class, last()).reason());
        now = now.plusSeconds(5);
        last();
        assertEquals(List.of(), cluster.changes());
        cluster.lag(learner, 0);
        assertInstanceOf(JoinStep.Joined.class, last());
    }

    @Test
    void oneThatFallsSilentIsNotTakenForLost() {
        cluster.silent(learner);
        for (int i = 0; i < 60; i++) {
            assertEquals(
                    WaitReason.CATCHING_UP,
                    assertInstanceOf(JoinStep.Waiting.class, last()).reason());
            now = now.plusSeconds(1);
        }
        assertEquals(List.of(), cluster.changes());
    }

    /** The command may run on any machine: whoever resets that one removes a voter. */
    @Test
    void theAdviceForAVoterThatWasRemovedIsOfItsOwnMachine() {
        begin();
        while (cluster.changes().isEmpty()) {
            promotion.step();
        }
        // that it votes is noted
        promotion.step();
        cluster.removeByOther(learner);
        JoinStep end = promotion.step();
        while (end instanceof JoinStep.Progressed || end instanceof JoinStep.Waiting) {
            now = now.plusSeconds(1);
            end = promotion.step();
        }
        JoinStep.Failed failed = assertInstanceOf(JoinStep.Failed.class, end);
        assertEquals(FailReason.REMOVED, failed.reason());
        assertEquals(
                "find out who removed it; then stop its etcd there and empty its data directory, and join again",
                failed.problem().next());
    }
}
