package io.kjadm.etcd.join;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A member between its add and its promotion. */
class CatchingUpTest extends JoinScene {

    @Test
    void manifestFollowsAMemberListThatChangedBeforeTheFirstStart() {
        unstarted();
        cluster.removeByOther(cluster.id("cp-3"));
        bench.pass(Duration.ofSeconds(1));
        bench.node.kubelet = true;
        joined();
        assertEquals(3, bench.node.manifests.getLast().size());
        assertEquals(2, bench.node.manifests.size());
    }

    @Test
    void laggingLearnerIsNotPromotedAndShowsProgress() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 5_000);
        ReplicationProgress progress = waits(WaitReason.CATCHING_UP).progress().orElseThrow();
        assertEquals("the member is catching up", waits(WaitReason.CATCHING_UP).detail());
        assertEquals(95, progress.percent());
        assertEquals(5_000, progress.lag());
        assertEquals(List.of("addLearner"), verbs());
    }

    @Test
    void aLearnerWhoseProcessIsKilledWhileItCatchesUpGoesOn() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 50_000);
        waits(WaitReason.CATCHING_UP);
        cluster.stop(id);
        bench.node.life = new LocalMemberHealth(false, 0, 0, Optional.empty());
        for (int i = 0; i < 30; i++) {
            waits(WaitReason.CATCHING_UP);
            bench.pass(Duration.ofSeconds(1));
        }
        bench.start(id);
        cluster.lag(id, 20_000);
        waits(WaitReason.CATCHING_UP);
        cluster.lag(id, 0);
        joined();
        assertEquals(List.of("addLearner", "promote"), verbs());
        assertEquals(1, bench.node.manifests.size());
    }

    @Test
    void rateAndTimeLeftAreTold() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        for (int lag = 90_000; lag > 40_000; lag -= 1_000) {
            cluster.lag(id, lag);
            waits(WaitReason.CATCHING_UP);
            bench.pass(Duration.ofSeconds(1));
        }
        cluster.lag(id, 40_000);
        ReplicationProgress progress = waits(WaitReason.CATCHING_UP).progress().orElseThrow();
        assertEquals(1_000, progress.entriesPerSecond(), 1);
        assertEquals(Duration.ofSeconds(40), progress.left().orElseThrow());
    }

    @Test
    void learnerCloseToABusyLeaderIsPromotedAtTheSecondLook() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 2_000);
        waits(WaitReason.CATCHING_UP);
        cluster.write(2_900);
        cluster.lag(id, 900);
        assertEquals(
                "the member is close to the leader",
                waits(WaitReason.CATCHING_UP).detail());
        bench.pass(Duration.ofMillis(500));
        waits(WaitReason.CATCHING_UP);
        bench.pass(Duration.ofMillis(500));
        bench.go();
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void learnerThatHoldsWhatWasCommittedAtTheStartStaysOneWhileItIsTooFarBehind() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 2_000);
        waits(WaitReason.CATCHING_UP);
        cluster.write(10_000);
        for (int i = 0; i < 10; i++) {
            cluster.lag(id, 1_001);
            waits(WaitReason.CATCHING_UP);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner"), verbs(), "1001 entries are too many");
        cluster.lag(id, 1_000);
        for (int i = 0; i < 3; i++) {
            bench.go();
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner", "promote"), verbs(), "1000 are not");
    }

    @Test
    void learnerThatIsCloseStaysOneUntilItHoldsWhatWasCommittedAtTheStart() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        for (int i = 0; i < 10; i++) {
            cluster.lag(id, 900);
            waits(WaitReason.CATCHING_UP);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner"), verbs(), "it may have stood still");
        cluster.lag(id, 0);
        joined();
    }

    @Test
    void lostReplyToThePromotionIsReadBack() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.next(Fault.REPLY_LOST);
        joined();
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void promotionByAnotherIsSuccessWithoutPromoting() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        joined();
        assertEquals(List.of("addLearner"), verbs());
    }

    @Test
    void removalByAnotherIsNoticedAndTheNodeIsCleaned() {
        MemberId id = unstarted();
        bench.pass(Duration.ofSeconds(20));
        waits(WaitReason.STARTING);
        cluster.removeByOther(id);
        Problem failed = failed(FailReason.REMOVED);
        assertEquals("find out who removed it", failed.next());
        assertTrue(
                bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE.plusSeconds(20)) >= 0,
                "counted from when it was gone");
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(50)) < 0);
        assertInstanceOf(RollbackOutcome.WasGone.class, bench.rollBack().outcome());
        assertTrue(bench.node.leaving, "noted before the node's data is touched");
        assertEquals(1, bench.node.takenAway);
    }

    @Test
    void leaderChangeDuringThePromotionIsRepeatedAfterReadBack() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.next(Fault.LEADER_CHANGED);
        joined();
        assertEquals(List.of("addLearner", "promote", "promote"), verbs());
    }

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

    @Test
    void memberThatNeverShowsLifeIsGivenUpAfterTheLimitOfAFault() {
        unstarted();
        failed(FailReason.NO_START);
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertEquals(3, cluster.members().size());
        assertEquals(1, bench.node.takenAway);
    }

    @Test
    void aFullDiskLeavesNoLearnerBehind() {
        MemberId id = unstarted();
        bench.journal.full = true;
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertTrue(cluster.members().stream().noneMatch(member -> member.id().equals(id)));
        assertEquals(1, bench.node.takenAway);
    }

    @Test
    void memberThatRunsAndDoesNotMoveIsGivenUpAfterTheStall() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 50_000);
        var failed = failed(FailReason.STALLED);
        assertEquals(
                "for 120 s neither its log nor its data has grown: the member is catching up, 50 % (entry 50101 of 100101); this node reaches the peer port of every other voter, so they may not reach port 2380 of this one",
                failed.why());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
    }

    @Test
    void whoIsCalledAboutAMemberThatStandsStillAreTheOtherVoters() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.start(cluster.plant(SimulatedCluster.peerUrl("cp-5"), false), "cp-5");
        cluster.plant(SimulatedCluster.peerUrl("cp-6"), false);
        cluster.lag(id, 50_000);
        failed(FailReason.STALLED);
        assertEquals(
                List.of(List.of("cp-1", "cp-2", "cp-3", "cp-5")),
                bench.node.called.stream()
                        .map(called -> called.stream().map(Member::name).toList())
                        .toList());
    }

    @Test
    void anAilmentThatMayPassIsWaitedForAndToldInTheEnd() {
        unstarted();
        bench.node.life = new LocalMemberHealth(
                false,
                0,
                0,
                Optional.of(new StartProblem(
                        new Problem("its image is being pulled", "that takes a while", "wait"),
                        true)));
        var failed = failed(FailReason.NO_START);
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) >= 0);
        assertTrue(
                failed.why().endsWith("; its image is being pulled: that takes a while"),
                failed.why());
    }

    @Test
    void memberThatReceivesItsDataSlowlyIsWaitedFor() {
        MemberId id = unstarted();
        cluster.databaseBytes = 60L << 20;
        String told = "";
        for (int i = 1; i <= 15; i++) {
            bench.node.life = new LocalMemberHealth(
                    true, (i << 20) + 128_000_000L, (long) i << 20, Optional.empty());
            told = waits(WaitReason.STARTING).detail();
            bench.pass(Duration.ofMinutes(1));
        }
        assertEquals(
                "the member receives the database: 15.0 of 60.0 MiB (25 %), 17 KiB/s, 2700 s left",
                told);
        bench.start(id);
        joined();
    }

    @Test
    void whatIsReceivedIsToldOfAStartedMemberToo() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.stop(id);
        cluster.databaseBytes = 60L << 20;
        bench.node.life = new LocalMemberHealth(true, 1 << 27, 30L << 20, Optional.empty());
        assertEquals(
                "the member receives the database: 30.0 of 60.0 MiB (50 %)",
                waits(WaitReason.CATCHING_UP).detail());
    }

    @Test
    void memberThatMovesForEverHasALimitToo() {
        cluster.write(10_000_000);
        MemberId id = unstarted();
        bench.start(id);
        int lag = 9_000_000;
        cluster.lag(id, lag);
        while (bench.go() instanceof JoinStep.Waiting) {
            lag -= 1_000;
            cluster.lag(id, lag);
            bench.pass(Duration.ofSeconds(10));
        }
        Problem failed = refused(FailReason.TOO_SLOW);
        assertEquals(
                "the member is catching up, 11 % (entry 1180101 of 10000101, 100 entries/s, 88200 s left)",
                failed.why());
        Duration waited = bench.elapsed();
        assertTrue(
                waited.compareTo(Duration.ofMinutes(30)) >= 0
                        && waited.compareTo(Duration.ofMinutes(31)) < 0,
                waited::toString);
    }

    @Test
    void containerThatDiesOfSomethingHopelessEndsTheJoinAtOnce() {
        unstarted();
        bench.node.life = new LocalMemberHealth(
                false,
                0,
                0,
                Optional.of(new StartProblem(
                        new Problem(
                                "a port it needs is in use",
                                "bind: address already in use",
                                "free the port"),
                        false)));
        var failed = failed(FailReason.START_FAILED);
        assertTrue(
                failed.what().endsWith(" does not start: a port it needs is in use"),
                failed.what());
        assertEquals("bind: address already in use", failed.why());
        assertEquals("free the port", failed.next());
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(10)) < 0);
    }

    /** etcd says then that nobody answers, and names neither port nor direction. */
    @Test
    void aMemberThatDoesNotStartAndReachesNobodyIsToldWhichWayIsClosed() {
        unstarted();
        bench.node.unreached = Map.of(cluster.id("cp-1"), "connect timed out");
        bench.node.life = new LocalMemberHealth(
                false,
                0,
                0,
                Optional.of(new StartProblem(
                        new Problem(
                                "its container ended twice",
                                "could not retrieve cluster information",
                                "check that this node reaches their peer URLs"),
                        false)));
        var failed = failed(FailReason.START_FAILED);
        assertTrue(
                failed.why()
                        .startsWith(
                                "could not retrieve cluster information; this node does not reach port 2380 of"),
                failed.why());
        assertEquals(Set.of("cp-1"), named(failed.why()));
        assertEquals(
                "check that this node reaches their peer URLs; open port 2380 from this node to the others, and read etcd's log on this node",
                failed.next());
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

    /** A member that runs and receives nothing. */
    private Problem stands() {
        unstarted();
        bench.node.life = LocalMemberHealth.ALIVE;
        return failed(FailReason.STALLED);
    }

    @Test
    void aMemberThatStandsStillWhileThisNodeReachesTheOthersIsNotReachedByThem() {
        var failed = stands();
        assertEquals(Set.of(), named(failed.why()));
        assertEquals(
                "open port 2380 from the machines of the other members to this one (https://cp-4:2380), and read etcd's log on this node",
                failed.next());
    }

    @Test
    void aMemberThatStandsStillAndDoesNotReachTheOthersIsToldWhichWayIsClosed() {
        bench.node.unreached = Map.of(
                cluster.id("cp-1"), "connect timed out", cluster.id("cp-2"), "connect timed out");
        var failed = stands();
        assertEquals(Set.of("cp-1", "cp-2"), named(failed.why()));
        assertEquals(
                "open port 2380 from this node to the others, and read etcd's log on this node",
                failed.next());
    }

    @Test
    void aLeaderThatDoesNotAnswerThisNodeIsNamed() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.write(100_000);
        cluster.lag(id, 90_000);
        cluster.silent(cluster.leader());
        String detail = waits(WaitReason.CATCHING_UP).detail();
        assertTrue(detail.startsWith("the leader does not answer this node: "), detail);
        assertEquals(Set.of("cp-1"), named(detail));
    }

    @Test
    void helpIsAskedForWhileTheMemberIsSilent() {
        unstarted();
        assertTrue(bench.node.helped > 0);
    }
}
