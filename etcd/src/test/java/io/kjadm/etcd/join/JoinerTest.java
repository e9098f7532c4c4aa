package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A learner's way into a cluster of three, with everything that can come between. */
class JoinerTest {

    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
    private JoinBench bench = new JoinBench(cluster, "cp-4");

    private static String verb(String change) {
        return change.substring(0, change.indexOf(' '));
    }

    private List<String> verbs() {
        return bench.cluster.changes().stream().map(JoinerTest::verb).toList();
    }

    private void joined() {
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertTrue(bench.own().voter());
        assertTrue(bench.journal.read().isEmpty(), "a join that is done needs no journal");
    }

    private JoinStep.Failed failed() {
        return assertInstanceOf(JoinStep.Failed.class, bench.finish());
    }

    private void refused(String text) {
        JoinStep.Failed failed = assertInstanceOf(JoinStep.Failed.class, bench.go());
        assertTrue(failed.what().contains(text), failed.what());
    }

    private JoinStep.Waiting waits(WaitReason reason) {
        var waiting = assertInstanceOf(JoinStep.Waiting.class, bench.go());
        assertEquals(reason, waiting.reason(), waiting.detail());
        return waiting;
    }

    /** Added and its manifest written, and the kubelet does nothing about it. */
    private MemberId unstarted() {
        bench.node.kubelet = false;
        waits(WaitReason.STARTING);
        return bench.own().id();
    }

    @Test
    void learnerIsAddedStartedAndPromotedAndEveryStateIsNotedFirst() {
        joined();
        assertEquals(List.of("addLearner", "promote"), verbs());
        assertEquals(List.of(JoinState.values()), bench.journal.states());
        assertEquals(4, bench.node.manifests.getFirst().size());
    }

    @Test
    void etcd33IsRefusedBeforeAnythingIsAdded() {
        bench = new JoinBench(SimulatedCluster.ofVoters(1, "3.3.25"), "cp-2");
        var failed = failed();
        assertEquals("etcd learner mode is not supported by this etcd version", failed.what());
        assertTrue(failed.why().contains("cp-1 3.3.25"), failed.why());
        assertEquals(List.of(), verbs());
    }

    @Test
    void oneOldMemberAmongNewOnesIsEnoughToRefuse() {
        cluster.version(cluster.id("cp-2"), "3.3.27");
        failed();
        assertEquals(List.of(), verbs());
    }

    @Test
    void silentMemberBeside34MightBe33() {
        SimulatedCluster old = SimulatedCluster.ofVoters(3, "3.4.23");
        old.stop(old.id("cp-3"));
        bench = new JoinBench(old, "cp-4");
        waits(WaitReason.UNHEALTHY);
        assertEquals(List.of(), verbs());
    }

    @Test
    void anotherLearnerGoesFirstAndIsNamed() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        var wait = waits(WaitReason.TOO_MANY_LEARNERS);
        assertTrue(wait.detail().contains(other.toString()) && wait.detail().contains("https://cp-9:2380"));
        assertEquals(List.of(), verbs());
        cluster.removeByOther(other);
        joined();
    }

    @Test
    void anotherMemberThatHasNotStartedGoesFirst() {
        cluster.plant(peerUrl("cp-9"), false);
        waits(WaitReason.MEMBER_NOT_STARTED);
        assertEquals(List.of(), verbs());
    }

    @Test
    void turnHasALimit() {
        cluster.plant(peerUrl("cp-9"), false);
        assertTrue(failed().why().contains("cp-9"));
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(29)) > 0);
        assertInstanceOf(Withdrawal.NothingListed.class, bench.withdraw().outcome());
    }

    @Test
    void takeoverRemovesALearnerInTheWayThatNeverStarts() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        bench.options = new RejoinOptions(true, false, false, false, Optional.empty());
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(60)) >= 0, "it might have been starting");
    }

    @Test
    void aLearnerWithoutProgressForTenMinutesIsTakenOver() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(10)) >= 0, "its owner might come back");
    }

    @Test
    void aLearnerThatIsLevelButNotPromotedForTenMinutesIsTakenOver() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        cluster.start(other, "cp-9");
        for (int i = 0; i < 590; i++) {
            waits(WaitReason.TOO_MANY_LEARNERS);
            cluster.write(10);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of(), verbs());
        bench.pass(Duration.ofSeconds(20));
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
    }

    @Test
    void aLearnerThatCatchesUpIsLeftItsTimeEvenByATakeover() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        cluster.start(other, "cp-9");
        cluster.write(2_000_000);
        long lag = 1_900_000;
        bench.options = new RejoinOptions(true, false, false, false, Optional.empty());
        for (int i = 0; i < 800; i++) {
            cluster.lag(other, lag);
            lag -= 1_000;
            waits(WaitReason.TOO_MANY_LEARNERS);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of(), verbs());
    }

    @Test
    void nothingIsAddedToANodeThatCannotStartIt() {
        bench.node.hindrance = Optional.of(new Ailment("its image is missing", "not found", "load it", false));
        refused("no etcd member was added: its image is missing");
        assertEquals(List.of(), verbs());
        assertInstanceOf(Withdrawal.NothingListed.class, bench.withdraw().outcome());
        assertTrue(bench.journal.read().isEmpty());
        assertEquals(0, bench.node.takenAway);
        bench.node.hindrance = Optional.empty();
        joined();
    }

    @Test
    void aKubeletThatIsStartingIsWaitedForBeforeTheAdd() {
        bench.node.hindrance = Optional.of(new Ailment("the kubelet is not healthy", "refused", "see its log", true));
        assertEquals("the kubelet is not healthy: refused", waits(WaitReason.NODE_UNFIT).detail());
        bench.pass(Duration.ofSeconds(20));
        waits(WaitReason.NODE_UNFIT);
        assertEquals(List.of(), verbs());
        bench.node.hindrance = Optional.empty();
        joined();
    }

    @Test
    void aKubeletThatNeverGetsHealthyEndsTheJoinWithinTheLimitOfAFault() {
        bench.node.hindrance = Optional.of(new Ailment("the kubelet is not healthy", "refused", "see its log", true));
        assertEquals("no etcd member was added: the kubelet is not healthy", failed().what());
        assertEquals(List.of(), verbs());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0, bench.elapsed()::toString);
    }

    @Test
    void lostReplyIsReadBackInsteadOfSentAgain() {
        cluster.next(Fault.REPLY_LOST);
        joined();
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void lateAddIsFoundByTheNextLook() {
        cluster.next(Fault.APPLIED_LATE);
        assertEquals(EtcdCluster.LATE_CHANGE, waits(WaitReason.UNCONFIRMED).pause());
        cluster.tick();
        joined();
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void lostRequestIsSentAgainOnlyAfterTwoListsUnderOneTerm() {
        cluster.next(Fault.REQUEST_LOST);
        Duration pause = waits(WaitReason.UNCONFIRMED).pause();
        bench.pass(Duration.ofSeconds(7));
        waits(WaitReason.UNCONFIRMED);
        assertEquals(1, cluster.changes().size());
        bench.pass(pause);
        joined();
        assertEquals(List.of("addLearner", "addLearner", "promote"), verbs());
    }

    @Test
    void newLeaderMakesTheWatchStartAnew() {
        cluster.next(Fault.REQUEST_LOST);
        waits(WaitReason.UNCONFIRMED);
        bench.pass(Duration.ofSeconds(7));
        cluster.moveLeader(cluster.leader(), cluster.id("cp-2"));
        waits(WaitReason.UNCONFIRMED);
        bench.pass(Duration.ofSeconds(7));
        waits(WaitReason.UNCONFIRMED);
        assertEquals(1, verbs().stream().filter("addLearner"::equals).count());
    }

    @Test
    void youngConnectionsMissingLeadersAndLostListsAreWaitedFor() {
        cluster.next(Fault.UNHEALTHY, Fault.NO_LEADER);
        waits(WaitReason.UNHEALTHY);
        bench.pass(Duration.ofSeconds(1));
        waits(WaitReason.NO_LEADER);
        cluster.failLists(1);
        bench.pass(Duration.ofSeconds(1));
        waits(WaitReason.UNREACHABLE);
        joined();
    }

    @Test
    void lostQuorumIsWaitedForWithinTheLimitOfAFault() {
        cluster.stop(cluster.id("cp-1"));
        cluster.stop(cluster.id("cp-2"));
        waits(WaitReason.NO_LEADER);
        assertEquals("etcd does not admit a new member", failed().what());
        assertEquals(List.of(), verbs());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
    }

    @Test
    void alarmAndDowngradeAreRefused() {
        cluster.alarm("NOSPACE");
        refused("NOSPACE");
        SimulatedCluster downgrading = SimulatedCluster.ofVoters(3);
        downgrading.downgrade();
        bench = new JoinBench(downgrading, "cp-4");
        refused("downgrade");
    }

    @Test
    void nameOfAnotherMemberIsRefused() {
        cluster.plant(peerUrl("other"), false);
        cluster.start(cluster.members().getLast().id(), "cp-4");
        refused("named cp-4");
    }

    @Test
    void urlAmongSeveralOfAnotherMemberIsComparedInCanonicalForm() {
        cluster.plant(URI.create("https://CP-4:2380/"), true);
        refused("this node has not added");
    }

    @Test
    void unknownUnstartedLearnerWithOurUrlIsRefusedUnlessTakenOver() {
        MemberId other = cluster.plant(peerUrl("cp-4"), true);
        refused("this node has not added");
        assertInstanceOf(Withdrawal.NothingListed.class, bench.withdraw().outcome());
        assertEquals(4, cluster.members().size(), "what others added stays");
        bench.rerun();
        bench.options = new RejoinOptions(true, false, false, false, Optional.empty());
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
    }

    @Test
    void unstartedLearnerOfOurUrlIsReplacedWhenItWasAddedLongAgo() {
        MemberId old = MemberBirth.id(List.of(peerUrl("cp-4")), bench.began.minus(Duration.ofMinutes(11)));
        cluster.plant(old, peerUrl("cp-4"), true);
        joined();
        assertEquals("remove " + old, cluster.changes().getFirst());
    }

    @Test
    void unstartedLearnerOfOurUrlAddedJustNowIsNotTouched() {
        cluster.plant(MemberBirth.id(List.of(peerUrl("cp-4")), bench.began.minus(Duration.ofMinutes(9))),
                peerUrl("cp-4"), true);
        refused("this node has not added");
    }

    @Test
    void learnerWithLostDataIsReplaced() {
        MemberId earlier = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(earlier, "cp-4");
        cluster.stop(earlier);
        joined();
        assertFalse(bench.own().id().equals(earlier));
        assertEquals("remove " + earlier, cluster.changes().getFirst());
    }

    @Test
    void learnerOfAnUnfinishedJoinThatLostItsDataIsReplacedInTheSameRun() {
        MemberId earlier = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(earlier, "cp-4");
        cluster.stop(earlier);
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "c1", List.of(), bench.now)
                .member(earlier, JoinState.STARTED, 0, bench.now));
        joined();
        assertFalse(bench.own().id().equals(earlier));
        assertEquals("remove " + earlier, cluster.changes().getFirst());
    }

    @Test
    void learnerThatLostItsDataIsNotRemovedWhileItsPromotionMayCome() {
        MemberId earlier = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(earlier, "cp-4");
        cluster.stop(earlier);
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "c1", List.of(), bench.now)
                .member(earlier, JoinState.PROMOTING, 0, bench.now));
        waits(WaitReason.UNCONFIRMED);
        assertEquals(List.of(), cluster.changes());
        joined();
        assertTrue(bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0);
        assertEquals("remove " + earlier, cluster.changes().getFirst());
    }

    @Test
    void runningLearnerWithOurUrlIsNeverRemoved() {
        MemberId earlier = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(earlier, "cp-4");
        refused("not from this node's data directory");
        assertEquals(List.of(), verbs());
    }

    @Test
    void voterWithoutDataIsNeverStartedAndReplacedOnlyWhenAsked() {
        bench = new JoinBench(cluster, "cp-3");
        MemberId lost = cluster.id("cp-3");
        cluster.stop(lost);
        refused("has no etcd data");
        bench.rerun();
        bench.options = new RejoinOptions(false, true, false, false, Optional.empty());
        joined();
        assertEquals("remove " + lost, cluster.changes().getFirst());
        assertEquals(3, cluster.members().size());
    }

    @Test
    void voterOfAnUnfinishedJoinThatLostItsDataIsReplacedOnlyWhenAsked() {
        bench = new JoinBench(cluster, "cp-3");
        MemberId lost = cluster.id("cp-3");
        cluster.stop(lost);
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "c1", List.of(), bench.now)
                .member(lost, JoinState.PROMOTED, 0, bench.now));
        refused("has no etcd data");
        bench.rerun();
        bench.options = new RejoinOptions(false, true, false, false, Optional.empty());
        joined();
        assertEquals("remove " + lost, cluster.changes().getFirst());
        assertEquals(3, cluster.members().size());
    }

    @Test
    void lostVoterIsNotReplacedWhereTheOthersWouldLackAQuorum() {
        bench = new JoinBench(cluster, "cp-3");
        cluster.stop(cluster.id("cp-3"));
        cluster.stop(cluster.id("cp-2"));
        bench.options = new RejoinOptions(false, true, false, false, Optional.empty());
        failed();
        assertEquals(List.of(), verbs());
    }

    @Test
    void voterWithDataHasJoinedAlready() {
        bench = new JoinBench(cluster, "cp-2");
        bench.node.trace = LocalTrace.SOME_DATA;
        joined();
        assertEquals(List.of(), verbs());
    }

    @Test
    void unstartedVoterWithOurUrlIsRefused() {
        cluster.plant(peerUrl("cp-4"), false);
        refused("has not started");
    }

    @Test
    void dataOfAnUnlistedMemberIsRefusedOrSetAsideWhenItsClusterIsNamed() {
        bench.node.trace = new LocalTrace(true, Optional.of(new MemberId(77)), Optional.of("c1"));
        refused("not listed (member 4d of cluster c1)");
        bench.rerun();
        bench.options = new RejoinOptions(false, false, false, false, Optional.of("c2"));
        refused("not listed");
        bench.rerun();
        bench.options = new RejoinOptions(false, false, false, false, Optional.of("c1"));
        joined();
        assertEquals(1, bench.node.takenAway);
    }

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
        CatchUp progress = waits(WaitReason.CATCHING_UP).progress().orElseThrow();
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
        bench.node.life = new LifeSigns(false, 0, 0, Optional.empty());
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
        CatchUp progress = waits(WaitReason.CATCHING_UP).progress().orElseThrow();
        assertEquals(1_000, progress.entriesPerSecond(), 1);
        assertEquals(Duration.ofSeconds(40), progress.left().orElseThrow());
        assertTrue(progress.toString().contains("1000 entries/s, 40 s left"), progress.toString());
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
        waits(WaitReason.CATCHING_UP);
        bench.pass(Duration.ofMillis(500));
        waits(WaitReason.CATCHING_UP);
        bench.pass(Duration.ofMillis(500));
        bench.go();
        assertEquals(List.of("addLearner", "promote"), verbs());
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
        cluster.removeByOther(id);
        assertTrue(failed().what().contains("removed by somebody else"));
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(30)) < 0);
        assertInstanceOf(Withdrawal.WasGone.class, bench.withdraw().outcome());
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

    private static final RejoinOptions DEGRADED = new RejoinOptions(false, false, false, true, Optional.empty());

    /** Three voters of which the third stops between the add of a fourth member and its promotion. */
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
            String detail = waits(WaitReason.VOTER_AILING).detail();
            assertTrue(detail.contains("3 of 4 voters would be well and 3 must be") && detail.contains("cp-3"), detail);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner"), verbs());
        cluster.start(cluster.id("cp-3"), "cp-3");
        joined();
    }

    @Test
    void atTheDeadlineTheLearnerOfThreeVotersWithOneDownIsTakenBack() {
        readyWhileAVoterIsDown();
        var failed = failed();
        assertTrue(failed.what().contains("is ready to vote and was not promoted"), failed.what());
        assertTrue(failed.why().contains("cp-3"), failed.why());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(30)) >= 0, bench.elapsed()::toString);
        assertInstanceOf(Withdrawal.Removed.class, bench.withdraw().outcome());
        assertEquals(3, cluster.members().size());
        assertEquals("remove", verbs().getLast());
    }

    @Test
    void withAllowDegradedItIsPromotedAndTheLackOfASpareIsTold() {
        bench.options = DEGRADED;
        readyWhileAVoterIsDown();
        joined();
        assertTrue(cluster.writable());
        assertEquals(1, bench.told.stream().filter(text -> text.contains("3 of 4 voters would be well and 3 must be")
                && text.contains("no spare") && text.contains("cp-3")).count(), bench.told::toString);
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
        assertTrue(failed().what().contains("does not start"));
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
        assertInstanceOf(Withdrawal.Removed.class, bench.withdraw().outcome());
        assertEquals(3, cluster.members().size());
        assertEquals(1, bench.node.takenAway);
    }

    @Test
    void aFullDiskLeavesNoLearnerBehind() {
        MemberId id = unstarted();
        bench.journal.full = true;
        assertInstanceOf(Withdrawal.Removed.class, bench.withdraw().outcome());
        assertTrue(cluster.members().stream().noneMatch(member -> member.id().equals(id)));
        assertEquals(1, bench.node.takenAway);
    }

    @Test
    void memberThatRunsAndDoesNotMoveIsGivenUpAfterTheStall() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 50_000);
        assertTrue(failed().what().contains("makes no progress"));
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
    }

    @Test
    void memberThatReceivesItsDataSlowlyIsWaitedFor() {
        MemberId id = unstarted();
        cluster.databaseBytes = 60L << 20;
        String told = "";
        for (int i = 1; i <= 15; i++) {
            bench.node.life = new LifeSigns(true, (i << 20) + 128_000_000L, (long) i << 20, Optional.empty());
            told = waits(WaitReason.STARTING).detail();
            bench.pass(Duration.ofMinutes(1));
        }
        assertEquals("the member receives the database: 15.0 of 60.0 MiB (25 %), 17 KiB/s, 2700 s left", told);
        bench.start(id);
        joined();
    }

    @Test
    void whatIsReceivedIsToldOfAStartedMemberToo() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.stop(id);
        cluster.databaseBytes = 60L << 20;
        bench.node.life = new LifeSigns(true, 1 << 27, 30L << 20, Optional.empty());
        assertTrue(waits(WaitReason.CATCHING_UP).detail().contains("30.0 of 60.0 MiB (50 %)"));
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
        Duration waited = bench.elapsed();
        assertTrue(waited.compareTo(Duration.ofMinutes(30)) >= 0 && waited.compareTo(Duration.ofMinutes(31)) < 0,
                waited::toString);
    }

    @Test
    void containerThatDiesOfSomethingHopelessEndsTheJoinAtOnce() {
        unstarted();
        bench.node.life = new LifeSigns(false, 0, 0, Optional.of(
                new Ailment("a port it needs is in use", "bind: address already in use", "free the port", false)));
        var failed = failed();
        assertTrue(failed.what().contains("a port it needs is in use"), failed.what());
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(10)) < 0);
    }

    @Test
    void voterThatDoesNotAnswerIsNotCalledWell() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        cluster.stop(id);
        var failed = failed();
        assertTrue(failed.what().contains("votes but is not well"), failed.what());
        assertInstanceOf(Withdrawal.Votes.class, bench.withdraw().outcome());
        assertEquals(4, cluster.members().size());
        bench.start(id);
        bench.rerun();
        joined();
    }

    @Test
    void whatVotesIsNotTakenBackThoughNobodyTellsAnyMore() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        bench.node.unready = "http://127.0.0.1:2381/readyz answers 503";
        waits(WaitReason.SETTLING);
        cluster.members().forEach(member -> cluster.stop(member.id()));
        failed();
        Duration before = bench.elapsed();
        assertInstanceOf(Withdrawal.Votes.class, bench.withdraw().outcome());
        assertEquals(before, bench.elapsed(), "there is nothing to wait for");
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
            String detail = waits(WaitReason.VOTER_AILING).detail();
            assertTrue(detail.contains("this node does not reach port 2380 of") && detail.contains("cp-3")
                    && detail.contains("connect timed out"), detail);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner"), verbs());
        assertTrue(bench.node.called.size() >= 9 && bench.node.called.size() <= 13,
                bench.node.called.size() + " calls in a minute");
        bench.node.unreached = Map.of();
        joined();
    }

    @Test
    void allowDegradedPromotesAMemberThatReachesAMajority() {
        bench.options = DEGRADED;
        cutOffFromOneFollower();
        joined();
        assertTrue(bench.told.stream().anyMatch(text -> text.contains("no spare") && text.contains("port 2380 of")),
                bench.told::toString);
    }

    @Test
    void votersThatAreDownAreNotCalled() {
        bench.options = DEGRADED;
        readyWhileAVoterIsDown();
        joined();
        assertEquals(List.of("cp-1", "cp-2"), bench.node.called.getFirst().stream().map(Member::name).toList());
    }

    /** A member that runs and receives nothing. */
    private JoinStep.Failed stands() {
        unstarted();
        bench.node.life = LifeSigns.ALIVE;
        JoinStep.Failed failed = failed();
        assertTrue(failed.what().contains("makes no progress"), failed.what());
        return failed;
    }

    @Test
    void aMemberThatStandsStillWhileThisNodeReachesTheOthersIsNotReachedByThem() {
        var failed = stands();
        assertTrue(failed.why().contains("they may not reach port 2380 of this one"), failed.why());
        assertTrue(failed.next().contains("open port 2380 from the other control-plane nodes to this one"), failed.next());
    }

    @Test
    void aMemberThatStandsStillAndDoesNotReachTheOthersIsToldWhichWayIsClosed() {
        bench.node.unreached = Map.of(cluster.id("cp-1"), "connect timed out", cluster.id("cp-2"), "connect timed out");
        var failed = stands();
        assertTrue(failed.why().contains("this node does not reach port 2380 of")
                && failed.why().contains("cp-1") && failed.why().contains("cp-2"), failed.why());
        assertTrue(failed.next().contains("open port 2380 from this node to the others"), failed.next());
    }

    @Test
    void aLeaderThatDoesNotAnswerThisNodeIsNamed() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.write(100_000);
        cluster.lag(id, 90_000);
        cluster.silent(cluster.leader());
        String detail = waits(WaitReason.CATCHING_UP).detail();
        assertTrue(detail.startsWith("the leader does not answer this node: ") && detail.contains("cp-1"), detail);
    }

    /** Promoted, with something amiss that the post-check must not pass over. */
    private JoinStep.Failed votesAnd(Runnable fault) {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        fault.run();
        JoinStep.Failed failed = failed();
        Duration took = bench.elapsed();
        assertTrue(took.compareTo(Duration.ofSeconds(60)) >= 0 && took.compareTo(Duration.ofSeconds(70)) < 0,
                took::toString);
        assertInstanceOf(Withdrawal.Votes.class, bench.withdraw().outcome());
        return failed;
    }

    @Test
    void aVoterThatDoesNotCallItselfReadyIsNotCalledWell() {
        var failed = votesAnd(() -> bench.node.unready = "http://127.0.0.1:2381/readyz answers 503");
        assertTrue(failed.why().contains("readyz answers 503"), failed.why());
        bench.node.unready = "";
        bench.rerun();
        joined();
    }

    @Test
    void whatIsMissingToAVoterIsTold() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        bench.node.unready = "http://127.0.0.1:2381/readyz answers 503";
        String detail = waits(WaitReason.SETTLING).detail();
        assertEquals("the member votes; it is not ready: http://127.0.0.1:2381/readyz answers 503", detail);
    }

    @Test
    void aVoterThatReportsAnAlarmIsNotCalledWell() {
        var failed = votesAnd(() -> cluster.alarm("NOSPACE"));
        assertTrue(failed.why().contains("NOSPACE"), failed.why());
    }

    @Test
    void anotherVoterThatIsDownAfterThePromotionIsNamed() {
        var failed = votesAnd(() -> cluster.stop(cluster.id("cp-2")));
        assertTrue(failed.what().contains("votes, and not every other voter is well"), failed.what());
        assertTrue(failed.why().contains("of 4 voters only 3 are well") && failed.why().contains("cp-2"), failed.why());
        bench.rerun();
        bench.options = DEGRADED;
        joined();
    }

    @Test
    void changesOfOthersDuringTheJoinAreToldAndNoFailure() {
        MemberId id = unstarted();
        MemberId other = cluster.plant(peerUrl("cp-9"), false);
        cluster.start(other, "cp-9");
        cluster.removeByOther(cluster.id("cp-3"));
        bench.start(id);
        var done = assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertTrue(done.message().contains("cp-3") && done.message().contains("has left")
                && done.message().contains("cp-9") && done.message().contains("has come"), done.message());
    }

    @Test
    void anUndisturbedJoinTellsNothingOfOthers() {
        assertEquals("", assertInstanceOf(JoinStep.Joined.class, bench.finish()).message());
    }

    @Test
    void ofTwoVotersTheLossOfTheOldOneIsExplained() {
        SimulatedCluster one = SimulatedCluster.ofVoters(1);
        bench = new JoinBench(one, "cp-2");
        MemberId id = unstarted();
        bench.start(id);
        one.promoteByOther(id);
        bench.node.unready = "not yet";
        waits(WaitReason.SETTLING);
        one.stop(one.id("cp-1"));
        var failed = failed();
        assertTrue(failed.next().contains("get etcd to run on cp-1 and on this node") && failed.next().contains("nothing is lost")
                && failed.next().contains("restore a snapshot"), failed.next());
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(70)) < 0, bench.elapsed()::toString);
        one.start(one.id("cp-1"), "cp-1");
        bench.node.unready = "";
        bench.rerun();
        joined();
    }

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
        failed();
        assertInstanceOf(Withdrawal.NothingListed.class, bench.withdraw().outcome());
        assertEquals(other, bench.own().id());
    }

    @Test
    void everyStateIsResumed() {
        for (JoinState state : List.of(JoinState.ADDED, JoinState.MANIFEST, JoinState.STARTED, JoinState.PROMOTING)) {
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
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "beef", List.of(), bench.now)
                .member(new MemberId(0x77), JoinState.STARTED, 0, bench.now));
        refused("another etcd cluster, beef");
        bench.withdraw();
        assertTrue(bench.journal.read().isPresent());
        assertEquals(List.of(), verbs());
    }

    @Test
    void journalOfAnotherAddressIsRefused() {
        bench.journal.write(JoinEntry.prepared(new NewMember("cp-4", peerUrl("elsewhere")), "earlier", "c1", List.of(),
                bench.now).member(new MemberId(0x77), JoinState.STARTED, 0, bench.now));
        refused("https://elsewhere:2380");
    }

    @Test
    void preparedJoinOfAnotherClusterHasDoneNothingAndIsForgotten() {
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "beef", List.of(), bench.now));
        joined();
    }

    @Test
    void helpIsAskedForWhileTheMemberIsSilent() {
        unstarted();
        assertTrue(bench.node.helped > 0);
    }
}
