package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What is listed for a node, or lies on its disk, before it joins. */
class RejoinTest extends JoinScene {

    @Test
    void nameOfAnotherMemberIsRefused() {
        cluster.plant(peerUrl("other"), false);
        cluster.start(cluster.members().getLast().id(), "cp-4");
        refused(FailReason.NAME_TAKEN);
    }

    @Test
    void urlAmongSeveralOfAnotherMemberIsComparedInCanonicalForm() {
        cluster.plant(URI.create("https://CP-4:2380/"), true);
        refused(FailReason.UNKNOWN_LEARNER);
    }

    @Test
    void unknownUnstartedLearnerWithOurUrlIsRefusedUnlessTakenOver() {
        MemberId other = cluster.plant(peerUrl("cp-4"), true);
        refused(FailReason.UNKNOWN_LEARNER);
        assertInstanceOf(RollbackOutcome.NothingListed.class, bench.rollBack().outcome());
        assertEquals(4, cluster.members().size(), "what others added stays");
        bench.rerun();
        bench.options = new RejoinOptions(true, false, false, false, false, Optional.empty());
        joined();
        assertEquals("remove " + other, cluster.changes().getFirst());
    }

    @Test
    void unstartedLearnerOfOurUrlIsReplacedWhenItWasAddedLongAgo() {
        MemberId old = MemberAddTime.id(
                List.of(peerUrl("cp-4")), bench.began.minus(Duration.ofMinutes(11)));
        cluster.plant(old, peerUrl("cp-4"), true);
        joined();
        assertEquals("remove " + old, cluster.changes().getFirst());
    }

    @Test
    void unstartedLearnerOfOurUrlAddedJustNowIsNotTouched() {
        cluster.plant(
                MemberAddTime.id(
                        List.of(peerUrl("cp-4")), bench.began.minus(Duration.ofMinutes(9))),
                peerUrl("cp-4"),
                true);
        refused(FailReason.UNKNOWN_LEARNER);
    }

    private MemberId silentLearner() {
        MemberId id = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(id, "cp-4");
        cluster.stop(id);
        return id;
    }

    private void unfinished(MemberId id, JoinState state) {
        bench.journal.write(JoinEntry.prepared(bench.wanted, "earlier", "c1", List.of(), bench.now)
                .member(id, state, 0, bench.now));
    }

    @Test
    void learnerWithLostDataIsReplacedOnlyWhenAsked() {
        MemberId earlier = silentLearner();
        refused(FailReason.LEARNER_WITHOUT_DATA);
        assertEquals(List.of(), cluster.changes(), "it may be another machine's");
        bench.rerun();
        bench.options = new RejoinOptions(true, false, false, false, false, Optional.empty());
        joined();
        assertFalse(bench.own().id().equals(earlier));
        assertEquals("remove " + earlier, cluster.changes().getFirst());
    }

    @Test
    void learnerOfAnUnfinishedJoinThatLostItsDataIsReplacedInTheSameRun() {
        MemberId earlier = silentLearner();
        unfinished(earlier, JoinState.STARTED);
        joined();
        assertFalse(bench.own().id().equals(earlier));
        assertEquals("remove " + earlier, cluster.changes().getFirst());
    }

    @Test
    void learnerThatLostItsDataIsNotRemovedWhileItsPromotionMayCome() {
        MemberId earlier = silentLearner();
        unfinished(earlier, JoinState.PROMOTING);
        assertEquals(
                JoinRollback.PROMOTION_MAY_COME, waits(WaitReason.UNCONFIRMED).detail());
        assertEquals(List.of(), cluster.changes());
        joined();
        assertTrue(bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0);
        assertEquals("remove " + earlier, cluster.changes().getFirst());
    }

    @Test
    void runningLearnerWithOurUrlIsNeverRemoved() {
        MemberId earlier = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(earlier, "cp-4");
        refused(FailReason.ADDRESS_SHARED);
        assertEquals(List.of(), verbs());
    }

    private void replacedOnlyWhenAsked(MemberId lost) {
        refused(FailReason.VOTER_WITHOUT_DATA);
        bench.rerun();
        bench.options = new RejoinOptions(false, true, false, false, false, Optional.empty());
        joined();
        assertEquals("remove " + lost, cluster.changes().getFirst());
        assertEquals(3, cluster.members().size());
    }

    @Test
    void voterWithoutDataIsNeverStartedAndReplacedOnlyWhenAsked() {
        bench = new JoinBench(cluster, "cp-3");
        cluster.stop(cluster.id("cp-3"));
        replacedOnlyWhenAsked(cluster.id("cp-3"));
    }

    @Test
    void voterOfAnUnfinishedJoinThatLostItsDataIsReplacedOnlyWhenAsked() {
        bench = new JoinBench(cluster, "cp-3");
        MemberId lost = cluster.id("cp-3");
        cluster.stop(lost);
        unfinished(lost, JoinState.PROMOTED);
        replacedOnlyWhenAsked(lost);
    }

    @Test
    void lostVoterIsNotReplacedWhereTheOthersWouldLackAQuorum() {
        bench = new JoinBench(cluster, "cp-3");
        cluster.stop(cluster.id("cp-3"));
        cluster.stop(cluster.id("cp-2"));
        bench.options = new RejoinOptions(false, true, false, false, false, Optional.empty());
        failed(FailReason.NOT_ACCEPTED);
        assertEquals(List.of(), verbs());
    }

    @Test
    void voterWithDataHasJoinedAlready() {
        bench = new JoinBench(cluster, "cp-2");
        bench.node.localDataDir = LocalDataDir.SOME_DATA;
        joined();
        assertEquals(List.of(), verbs());
    }

    @Test
    void aLearnerWithDataIsGoneOnWithAndPromotedWhenItIsFit() {
        MemberId id = cluster.plant(peerUrl("cp-4"), true);
        bench.start(id);
        cluster.write(100_000);
        cluster.lag(id, 50_000);
        waits(WaitReason.CATCHING_UP);
        assertEquals(JoinState.STARTED, bench.journal.read().orElseThrow().state());
        cluster.lag(id, 0);
        joined();
    }

    /** The run that brought it in died before it could delete its journal. */
    @Test
    void aJournalThatSaysDoneIsGoneOnWith() {
        bench = new JoinBench(cluster, "cp-2");
        bench.node.localDataDir = LocalDataDir.SOME_DATA;
        bench.noted(JoinState.DONE, cluster.id("cp-2"));
        bench.node.notReadyReason = "not yet";
        waits(WaitReason.SETTLING);
        assertEquals("earlier", bench.journal.read().orElseThrow().runId());
        bench.node.notReadyReason = "";
        joined();
    }

    @Test
    void aPreparedJoinOfAnotherClusterDoesNotGoOnWithAVoterOfThisOne() {
        bench = new JoinBench(cluster, "cp-2");
        bench.node.localDataDir = LocalDataDir.SOME_DATA;
        bench.journal.write(
                JoinEntry.prepared(bench.wanted, "earlier", "beef", List.of(), bench.now));
        joined();
    }

    @Test
    void aVoterIsNotCalledWellBeforeItHasAppliedWhatWasCommitted() {
        MemberId id = cluster.plant(peerUrl("cp-4"), false);
        bench.start(id);
        cluster.write(5_000);
        cluster.lag(id, 1);
        assertEquals(
                "the member is a voter; it has not applied what was committed before its promotion",
                waits(WaitReason.SETTLING).detail());
        cluster.lag(id, 0);
        joined();
    }

    @Test
    void unstartedVoterWithOurUrlIsRefused() {
        cluster.plant(peerUrl("cp-4"), false);
        refused(FailReason.UNKNOWN_VOTER);
    }

    @Test
    void dataOfAnUnlistedMemberIsRefusedOrSetAsideWhenItsClusterIsNamed() {
        bench.node.localDataDir =
                new LocalDataDir(true, Optional.of(new MemberId(77)), Optional.of("c1"));
        assertEquals(
                "the etcd data directory holds data of a member that is not listed (member 4d of cluster c1)",
                refused(FailReason.FOREIGN_DATA).what());
        bench.rerun();
        bench.options = new RejoinOptions(false, false, false, false, false, Optional.of("c2"));
        refused(FailReason.FOREIGN_DATA);
        bench.rerun();
        bench.options = new RejoinOptions(false, false, false, false, false, Optional.of("c1"));
        joined();
        assertEquals(1, bench.node.takenAway);
    }
}
