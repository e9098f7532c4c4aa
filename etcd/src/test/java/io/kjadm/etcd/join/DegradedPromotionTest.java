package io.kjadm.etcd.join;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A promotion beside voters that are down, or that this node does not reach. */
class DegradedPromotionTest extends JoinScene {

    /**
     * Three voters of which the third stops between the add of a fourth member and its promotion.
     */
    private MemberId readyWhileAVoterIsDown() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.stop(cluster.id("cp-3"));
        return id;
    }

    @Test
    void aVoterThatStopsBeforeThePromotionIsWaitedFor() {
        readyWhileAVoterIsDown();
        for (int i = 0; i < 600; i++) {
            String detail = waits(WaitReason.VOTER_UNHEALTHY).detail();
            assertEquals(Set.of("cp-3"), named(detail));
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner"), verbs());
        cluster.start(cluster.id("cp-3"), "cp-3");
        joined();
    }

    @Test
    void atTheDeadlineTheLearnerOfThreeVotersWithOneDownIsTakenBack() {
        readyWhileAVoterIsDown();
        assertEquals(Set.of("cp-3"), named(failed(FailReason.NOT_PROMOTED).why()));
        assertTrue(
                bench.elapsed().compareTo(Duration.ofMinutes(30)) >= 0, bench.elapsed()::toString);
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertEquals(3, cluster.members().size());
        assertEquals("remove", verbs().getLast());
    }

    @Test
    void withAllowDegradedItIsPromotedAndTheLackOfASpareIsTold() {
        bench.options = DEGRADED;
        readyWhileAVoterIsDown();
        joined();
        assertTrue(cluster.writable());
        assertEquals(
                List.of(
                        "added etcd member a004 (learner not started, https://cp-4:2380)"
                                + " to the cluster",
                        "promoting although not every voter is healthy, because of --allow-degraded:"
                                + " 3 of 4 voters would be healthy and 3 must be, no spare:"
                                + " one more failure stops etcd;"
                                + " a003 cp-3 (voter, https://cp-3:2380): Connection refused"),
                bench.told);
    }

    @Test
    void learnerIsNotPromotedWhereAQuorumWouldBeLacking() {
        SimulatedCluster five = SimulatedCluster.ofVoters(5);
        bench = new JoinBench(five, "cp-6");
        bench.options = DEGRADED;
        MemberId id = unstarted();
        bench.start(id);
        five.stop(five.id("cp-4"));
        five.stop(five.id("cp-5"));
        // three of five serve, and with the learner four of six would
        assertInstanceOf(JoinStep.Joined.class, bench.finish());

        SimulatedCluster two = SimulatedCluster.ofVoters(2);
        bench = new JoinBench(two, "cp-3");
        bench.options = DEGRADED;
        MemberId third = unstarted();
        bench.start(third);
        two.stop(two.id("cp-2"));
        waits(WaitReason.NO_LEADER);
        assertEquals(List.of("addLearner"), verbs());
    }

    /** A member that follows, from whose node the third voter's peer port cannot be reached. */
    private void cutOffFromOneFollower() {
        MemberId id = unstarted();
        bench.start(id);
        bench.node.unreached = Map.of(cluster.id("cp-3"), "cp-3:2380: connect timed out");
    }

    @Test
    void promotionWaitsUntilThisNodeReachesThePeerPortOfEveryVoter() {
        cutOffFromOneFollower();
        for (int i = 0; i < 60; i++) {
            String detail = waits(WaitReason.VOTER_UNHEALTHY).detail();
            assertEquals(
                    "not every other voter is healthy, and only --allow-degraded promotes then (3 of 4 voters would be healthy and 3 must be): this node does not reach port 2380 of a003 cp-3 (voter, https://cp-3:2380): cp-3:2380: connect timed out",
                    detail);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner"), verbs());
        assertTrue(
                bench.node.called.size() >= 9 && bench.node.called.size() <= 13,
                bench.node.called.size() + " calls in a minute");
        bench.node.unreached = Map.of();
        joined();
    }

    @Test
    void lookThatTakesLongerThanACallIsGoodForDoesNotKeepTheJoinFromEnding() {
        bench.start(unstarted());
        cluster.beforeList(() -> bench.now = bench.now.plusSeconds(6));
        joined();
    }

    @Test
    void allowDegradedPromotesAMemberThatReachesAMajority() {
        bench.options = DEGRADED;
        cutOffFromOneFollower();
        joined();
        assertHasLine(
                "promoting although not every voter is healthy, because of --allow-degraded: 3 of 4 voters would be healthy and 3 must be, no spare: one more failure stops etcd; this node does not reach port 2380 of a003 cp-3 (voter, https://cp-3:2380): cp-3:2380: connect timed out",
                String.join("\n", bench.told));
    }

    @Test
    void votersThatAreDownAreNotCalled() {
        bench.options = DEGRADED;
        readyWhileAVoterIsDown();
        joined();
        assertEquals(
                List.of("cp-1", "cp-2"),
                bench.node.called.getFirst().stream().map(Member::name).toList());
    }
}
