package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A join that failed, or was stopped, is rolled back. */
class JoinRollbackTest extends JoinScene {

    @Test
    void withdrawalReadsBackALostReply() {
        unstarted();
        cluster.next(Fault.REPLY_LOST);
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertTrue(bench.node.leaving, "noted before the node's data is touched");
        assertEquals(List.of("addLearner", "remove"), verbs());
        assertTrue(bench.journal.read().isEmpty());
    }

    @Test
    void withdrawalWaitsForAPromotionThatWasSent() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.next(Fault.APPLIED_LATE);
        waits(WaitReason.CATCHING_UP);
        assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
        assertTrue(bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0);
        assertEquals(4, cluster.members().size());
        assertEquals(0, bench.node.takenAway, "a member that votes is not stopped");
    }

    @Test
    void withdrawalFindsAnAddThatCameLate() {
        cluster.next(Fault.APPLIED_LATE);
        waits(WaitReason.UNCONFIRMED);
        cluster.tick();
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertEquals(3, cluster.members().size());
    }

    @Test
    void withdrawalOfALostRequestWaitsUntilItCannotComeAnyMore() {
        cluster.next(Fault.REQUEST_LOST);
        waits(WaitReason.UNCONFIRMED);
        assertInstanceOf(RollbackOutcome.NothingListed.class, bench.rollBack().outcome());
        assertTrue(bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0);
    }

    @Test
    void withdrawalIsTriedAgainWhenTheClusterDoesNotAnswerForAMoment() {
        unstarted();
        cluster.failLists(2);
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
    }

    @Test
    void withdrawalWithoutAQuorumEndsAndTheNextRunFinishesIt() {
        MemberId id = unstarted();
        cluster.stop(cluster.id("cp-1"));
        cluster.stop(cluster.id("cp-2"));
        assertInstanceOf(RollbackOutcome.Kept.class, bench.rollBack().outcome());
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
        Problem kept = assertInstanceOf(
                        RollbackOutcome.Kept.class, bench.rollBack().outcome())
                .problem();
        assertTrue(kept.what().contains(id.toString()), kept.toString());
        assertTrue(bench.journal.read().orElseThrow().leaving(), "noted before it was sent");
        assertTrue(
                bench.elapsed().compareTo(JoinLimits.DEFAULTS.rollback().multipliedBy(2)) < 0,
                "it takes " + bench.elapsed());
        assertTrue(bench.journal.read().isPresent(), "the next run has to know");
    }

    @Test
    void aLearnerThatWasNeverPromotedGoesAtOnce() {
        bench.start(unstarted());
        cluster.write(100_000);
        cluster.lag(bench.own().id(), 50_000);
        waits(WaitReason.CATCHING_UP);
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(2)) < 0, bench.elapsed()::toString);
    }

    /** However long the join took, rolling it back has its own time. */
    @Test
    void takingBackHasItsTimeFromTheFailureOn() {
        unstarted();
        for (int i = 1; i <= 5; i++) {
            bench.node.life = new LocalMemberHealth(true, i, 0, Optional.empty());
            waits(WaitReason.STARTING);
            bench.pass(Duration.ofSeconds(100));
        }
        Duration failed = bench.elapsed();
        cluster.failLists(100_000);
        assertInstanceOf(RollbackOutcome.Kept.class, bench.rollBack().outcome());
        assertTrue(bench.elapsed().minus(failed).compareTo(JoinLimits.DEFAULTS.rollback()) >= 0);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NEEDS_HUMAN", "FORBIDDEN"})
    void aRemovalThatIsRefusedForGoodLeavesTheLearnerAndSaysSo(Fault fault) {
        MemberId id = unstarted();
        cluster.next(fault);
        Problem kept = assertInstanceOf(
                        RollbackOutcome.Kept.class, bench.rollBack().outcome())
                .problem();
        assertEquals("learner " + bench.own().describe() + " is still listed", kept.what());
        assertTrue(kept.why().startsWith("etcdserver: "), kept.why());
        assertEquals(id, bench.own().id());
        assertEquals(List.of("addLearner", "remove"), verbs());
        assertEquals(0, bench.node.takenAway, "what is listed keeps its data");
        assertTrue(bench.journal.read().isPresent());
    }

    @Test
    void listsThatAreRefusedForGoodEndTheTakingBackAtOnce() {
        unstarted();
        cluster.refuseLists(RpcCode.PERMISSION_DENIED, "etcdserver: permission denied");
        Problem kept = assertInstanceOf(
                        RollbackOutcome.Kept.class, bench.rollBack().outcome())
                .problem();
        assertEquals("the etcd member could not be removed", kept.what());
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(2)) < 0);
    }

    @Test
    void aMemberThatIsAbsentWhereNobodyLeadsIsNotTakenForGone() {
        MemberId id = unstarted();
        cluster.removeByOther(id);
        cluster.silent(cluster.leader());
        Problem kept = assertInstanceOf(
                        RollbackOutcome.Kept.class, bench.rollBack().outcome())
                .problem();
        assertEquals("the members do not agree on a leader", kept.why());
        assertEquals(0, bench.node.takenAway);
    }

    @Test
    void aVoterThatSomebodyRemovedKeepsItsData() {
        bench.noted(JoinState.PROMOTED, new MemberId(0x77));
        Problem kept = assertInstanceOf(
                        RollbackOutcome.Kept.class, bench.rollBack().outcome())
                .problem();
        assertEquals("etcd member 77, a voter, is no longer listed", kept.what());
        assertEquals(0, bench.node.takenAway);
    }

    @Test
    void aJournalOfAnotherAddressOrClusterTakesNothingBack() {
        MemberId id = cluster.plant(SimulatedCluster.peerUrl("elsewhere"), true);
        bench.journal.write(JoinEntry.prepared(
                        new NewMember("cp-4", SimulatedCluster.peerUrl("elsewhere")),
                        "earlier",
                        "c1",
                        List.of(),
                        bench.now)
                .member(id, JoinState.STARTED, 0, bench.now));
        assertInstanceOf(RollbackOutcome.NothingListed.class, bench.rollBack().outcome());
        assertTrue(bench.journal.read().isPresent());
        assertEquals(List.of(), verbs());
        assertEquals(0, bench.node.takenAway);
    }

    @Test
    void aMemberWhoseClusterNobodyTellsIsTakenBackAllTheSame() {
        MemberId id = unstarted();
        cluster.members().forEach(member -> cluster.silent(member.id()));
        Problem kept = assertInstanceOf(
                        RollbackOutcome.Kept.class, bench.rollBack().outcome())
                .problem();
        assertTrue(kept.what().contains(id + ""), kept.what());
    }

    @Test
    void aMemberThatChangedItsPeerUrlStays() {
        MemberId id = cluster.plant(SimulatedCluster.peerUrl("elsewhere"), true);
        bench.noted(JoinState.STARTED, id);
        Problem kept = assertInstanceOf(
                        RollbackOutcome.Kept.class, bench.rollBack().outcome())
                .problem();
        assertEquals("its peer URL is not this node's", kept.why());
        assertEquals(List.of(), verbs());
    }

    @Test
    void whatVotesIsNamedThoughNobodyListsItAnyMore() {
        bench.noted(JoinState.PROMOTED, cluster.plant(SimulatedCluster.peerUrl("cp-4"), false));
        Member own = bench.own();
        cluster.failLists(100_000);
        var votes =
                assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
        assertEquals(own.id(), votes.member().id());
        assertTrue(bench.journal.read().isPresent());
    }

    @Test
    void theMemberThatWasRemovedIsNamed() {
        MemberId id = unstarted();
        var removed =
                assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertEquals(id, removed.member().id());
    }

    @Test
    void aJoinThatOnlyWantedToBeginAnewFailsWhereItsLearnerCannotGo() {
        MemberId id = cluster.plant(SimulatedCluster.peerUrl("elsewhere"), true);
        bench.noted(JoinState.STARTED, id);
        bench.journal.write(bench.journal.read().orElseThrow().leaving(true, bench.now));
        failed(FailReason.KEPT);
    }

    @Test
    void aJoinThatWasBeingTakenBackGoesOnIfItsMemberVotesAfterAll() {
        MemberId id = cluster.plant(SimulatedCluster.peerUrl("cp-4"), false);
        bench.start(id);
        bench.noted(JoinState.PROMOTING, id);
        bench.journal.write(bench.journal.read().orElseThrow().leaving(true, bench.now));
        joined();
        assertTrue(
                bench.told.stream().anyMatch(text -> text.endsWith("a voter after all and stays")));
    }

    @Test
    void ofAVoterThatStartedWithoutAPromotionOfOursNothingIsTakenBack() {
        MemberId id = cluster.plant(SimulatedCluster.peerUrl("cp-4"), false);
        bench.start(id);
        bench.noted(JoinState.MANIFEST, id);
        assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
        assertEquals(JoinState.PROMOTED, bench.journal.read().orElseThrow().state());
    }

    @Test
    void ofAPromotionThatWasSentNothingIsTakenBackThoughTheVoterNeverStarted() {
        bench.noted(JoinState.PROMOTING, cluster.plant(SimulatedCluster.peerUrl("cp-4"), false));
        assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
    }

    @Test
    void aJoinThatBeginsAnewDoesNotKeepItsOldLearner() {
        bench.options = new RejoinOptions(false, false, true, false, false, Optional.empty());
        MemberId id = cluster.plant(SimulatedCluster.peerUrl("cp-4"), true);
        bench.noted(JoinState.STARTED, id);
        bench.journal.write(bench.journal.read().orElseThrow().leaving(true, bench.now));
        joined();
        assertEquals("remove " + id, cluster.changes().getFirst());
    }

    @Test
    void learnerIsKeptWhenAsked() {
        MemberId id = unstarted();
        bench.options = new RejoinOptions(false, false, true, false, false, Optional.empty());
        bench.rerun();
        bench.go();
        assertInstanceOf(RollbackOutcome.StaysAsAsked.class, bench.rollBack().outcome());
        assertEquals(id, bench.own().id());
        bench.rerun();
        bench.node.kubelet = true;
        joined();
        assertEquals(id, bench.own().id());
    }
}
