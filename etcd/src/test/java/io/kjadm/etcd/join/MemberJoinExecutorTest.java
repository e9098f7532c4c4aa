package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A learner's way into a cluster of three, up to its add. */
class MemberJoinExecutorTest extends JoinScene {

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
        assertEquals(Set.of("cp-1"), named(failed(FailReason.NO_LEARNERS).why()));
        assertEquals(List.of(), verbs());
    }

    @Test
    void oneOldMemberAmongNewOnesIsEnoughToRefuse() {
        cluster.version(cluster.id("cp-2"), "3.3.27");
        failed(FailReason.NO_LEARNERS);
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
        assertTrue(wait.detail().contains(other.toString()), wait.detail());
        assertEquals(Set.of("cp-9"), named(wait.detail()));
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
        assertEquals(Set.of("cp-9"), named(failed(FailReason.QUEUED_TOO_LONG).why()));
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(29)) > 0);
        assertInstanceOf(RollbackOutcome.NothingListed.class, bench.rollBack().outcome());
    }

    @Test
    void takeoverRemovesALearnerInTheWayThatNeverStarts() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        bench.options = new RejoinOptions(true, false, false, false, false, Optional.empty());
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
        assertTrue(
                bench.elapsed().compareTo(Duration.ofSeconds(60)) >= 0,
                "it might have been starting");
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(2)) < 0, bench.elapsed()::toString);
    }

    @Test
    void aLearnerWithoutProgressForTenMinutesIsTakenOver() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
        assertTrue(
                bench.elapsed().compareTo(Duration.ofMinutes(10)) >= 0,
                "its owner might come back");
    }

    @Test
    void noteOfAnEarlierJoinTakesNothingOfAListedMemberAway() {
        MemberId voter = cluster.plant(peerUrl("cp-4"), false);
        bench.start(voter);
        bench.node.localDataDir = new LocalDataDir(true, Optional.of(voter), Optional.of("c1"));
        bench.noted(JoinState.STARTED, new MemberId(0xbeef));
        Problem failed = failed(FailReason.OTHER_DATA);
        assertTrue(
                failed.what()
                        .startsWith(
                                "this node has noted a join of etcd member beef, which is not listed, and holds the data of "
                                        + voter
                                        + " cp-4"),
                failed.what());
        bench.rollBack();
        assertEquals(0, bench.node.takenAway);
        assertEquals(List.of(), cluster.changes());
    }

    @Test
    void whatIsAddedIsTakenBackThoughItCannotBeNoted() {
        cluster.next(Fault.REPLY_LOST);
        cluster.beforeList(() -> bench.journal.full = !cluster.changes().isEmpty());
        assertThrows(IllegalStateException.class, bench::go, "the disk is full");
        JoinStep.RolledBack back = bench.rollBack();
        assertInstanceOf(RollbackOutcome.Removed.class, back.outcome());
        assertEquals(3, cluster.members().size());
    }

    /** Between the decision and the removal its owner comes back and promotes it. */
    @Test
    void aLearnerThatIsPromotedInTheLastMomentIsNotRemoved() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        Instant[] last = {bench.now};
        int[] lists = {0};
        cluster.beforeList(() -> {
            lists[0] = bench.now.equals(last[0]) ? lists[0] + 1 : 1;
            last[0] = bench.now;
            // looks, knocks, looks again and decides; this is the look before the removal
            if (lists[0] == 3 && bench.elapsed().compareTo(Duration.ofMinutes(10)) >= 0) {
                cluster.promoteByOther(other);
            }
        });
        for (int i = 0; i < 700; i++) {
            bench.go();
            bench.pass(Duration.ofSeconds(1));
        }
        assertTrue(
                cluster.members().stream()
                        .anyMatch(member -> member.id().equals(other) && member.voter()),
                "it was promoted, and stays");
        assertEquals(List.of(), verbs());
    }

    @Test
    void aLearnerThatHasStartedStaysUnasked() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        cluster.start(other, "cp-9");
        waitsFor(Duration.ofMinutes(20));
        assertEquals(List.of(), verbs());
        cluster.stop(other);
        waitsFor(Duration.ofMinutes(8));
        assertEquals(List.of(), verbs(), "nor is one that went down");
    }

    @Test
    void aLearnerThatReceivesItsDataStaysThoughItServesNobodyYet() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        bench.node.listening.add(other);
        waitsFor(Duration.ofMinutes(20));
        assertEquals(List.of(), verbs());
        bench.node.listening.clear();
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
    }

    @Test
    void aLearnerThatIsLevelButNotPromotedForTenMinutesIsTakenOverWhenAsked() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        cluster.start(other, "cp-9");
        bench.options = new RejoinOptions(true, false, false, false, false, Optional.empty());
        waitsFor(Duration.ofSeconds(590));
        assertEquals(List.of(), verbs());
        bench.pass(Duration.ofSeconds(20));
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
        assertTrue(
                bench.elapsed().compareTo(Duration.ofMinutes(11)) < 0, bench.elapsed()::toString);
    }

    @Test
    void aLearnerThatBeginsToAnswerHasItsTimeAnew() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        bench.options = new RejoinOptions(true, false, false, false, false, Optional.empty());
        waitsFor(Duration.ofSeconds(50));
        cluster.start(other, "cp-9");
        waitsFor(Duration.ofSeconds(590));
        assertEquals(List.of(), verbs());
    }

    @Test
    void theNextLearnerInTheWayHasAllItsTime() {
        MemberId first = cluster.plant(peerUrl("cp-9"), true);
        waitsFor(Duration.ofSeconds(590));
        cluster.removeByOther(first);
        MemberId next = cluster.plant(peerUrl("cp-8"), true);
        waitsFor(Duration.ofSeconds(590));
        assertEquals(List.of(), verbs());
        joined();
        assertEquals("remove " + next, cluster.changes().getFirst());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(21)) < 0);
    }

    @Test
    void howLongALearnerHasNotMovedIsToldOfThatLearner() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        String named =
                "another member is joining: " + cluster.members().getLast().describe();
        assertEquals(named, waits(WaitReason.TOO_MANY_LEARNERS).detail());
        bench.pass(Duration.ofSeconds(1));
        assertEquals(
                named + ", no progress seen for 1 s",
                waits(WaitReason.TOO_MANY_LEARNERS).detail());
        cluster.removeByOther(other);
        cluster.plant(peerUrl("cp-7"), false);
        String unstarted =
                "another member is joining: " + cluster.members().getLast().describe();
        cluster.plant(peerUrl("cp-9"), true);
        waits(WaitReason.MEMBER_NOT_STARTED);
        bench.pass(Duration.ofSeconds(30));
        assertEquals(unstarted, waits(WaitReason.MEMBER_NOT_STARTED).detail());
    }

    @Test
    void anEtcdThatKnowsLearnersIsJoinedWhereEverybodySaysSo() {
        bench = new JoinBench(SimulatedCluster.ofVoters(3, "3.4.23"), "cp-4");
        joined();
    }

    @Test
    void aSilentMemberBeside35KnowsLearnersToo() {
        cluster.silent(cluster.id("cp-3"));
        bench.node.kubelet = false;
        waits(WaitReason.STARTING);
        assertEquals(List.of("addLearner"), verbs());
    }

    /** The cluster goes on writing meanwhile. */
    private void waitsFor(Duration time) {
        for (int i = 0; i < time.toSeconds(); i++) {
            waits(WaitReason.TOO_MANY_LEARNERS);
            cluster.write(10);
            bench.pass(Duration.ofSeconds(1));
        }
    }

    @Test
    void aLearnerThatCatchesUpIsLeftItsTimeEvenByATakeover() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        cluster.start(other, "cp-9");
        cluster.write(2_000_000);
        long lag = 1_900_000;
        bench.options = new RejoinOptions(true, false, false, false, false, Optional.empty());
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
        bench.node.startProblem = Optional.of(new StartProblem(
                new Problem("its image is missing", "not found", "load it"), false));
        assertEquals(
                new Problem(
                        FailReason.NODE_UNFIT,
                        "no etcd member was added: its image is missing",
                        "not found",
                        "load it"),
                refused(FailReason.NODE_UNFIT));
        assertEquals(List.of(), verbs());
        assertInstanceOf(RollbackOutcome.NothingListed.class, bench.rollBack().outcome());
        assertTrue(bench.journal.read().isEmpty());
        assertEquals(0, bench.node.takenAway);
        bench.node.startProblem = Optional.empty();
        joined();
    }

    @Test
    void aKubeletThatIsStartingIsWaitedForBeforeTheAdd() {
        bench.node.startProblem = Optional.of(new StartProblem(
                new Problem("the kubelet is not healthy", "refused", "see its log"), true));
        assertEquals(
                "the kubelet is not healthy: refused",
                waits(WaitReason.NODE_UNFIT).detail());
        bench.pass(Duration.ofSeconds(20));
        waits(WaitReason.NODE_UNFIT);
        assertEquals(List.of(), verbs());
        bench.node.startProblem = Optional.empty();
        joined();
    }

    @Test
    void aKubeletThatNeverGetsHealthyEndsTheJoinWithinTheLimitOfAFault() {
        bench.node.startProblem = Optional.of(new StartProblem(
                new Problem("the kubelet is not healthy", "refused", "see its log"), true));
        assertEquals(
                "no etcd member was added: the kubelet is not healthy",
                failed(FailReason.NODE_UNFIT).what());
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
        failed(FailReason.NOT_ACCEPTED);
        assertEquals(List.of(), verbs());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
    }

    @Test
    void alarmAndDowngradeAreRefused() {
        cluster.alarm("NOSPACE");
        refused(FailReason.CLUSTER_UNFIT);
        SimulatedCluster downgrading = SimulatedCluster.ofVoters(3);
        downgrading.downgrade();
        bench = new JoinBench(downgrading, "cp-4");
        refused(FailReason.CLUSTER_UNFIT);
    }
}
