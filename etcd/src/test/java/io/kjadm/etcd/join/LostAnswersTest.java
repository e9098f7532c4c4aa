package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Changes whose outcome is unknown, and members of which nobody tells. */
class LostAnswersTest extends JoinScene {

    private static final int FOR_EVER = 100_000;

    /** The 8 seconds count from the first list after the add, not from one before it. */
    @Test
    void waitingBeforeTheAddIsNoWatchOverIt() {
        bench.node.startProblem =
                Optional.of(new StartProblem(new Problem("not yet", "it starts", "wait"), true));
        for (int i = 0; i < 20; i++) {
            waits(WaitReason.NODE_UNFIT);
            bench.pass(Duration.ofSeconds(1));
        }
        bench.node.startProblem = Optional.empty();
        cluster.next(Fault.APPLIED_LATE);
        assertEquals(EtcdCluster.LATE_CHANGE, waits(WaitReason.UNCONFIRMED).pause());
        assertEquals(0, bench.node.helped, "nothing of ours is starting yet");
        joined();
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void aMemberThatAnotherNodeAddsMeanwhileIsNotOurs() {
        cluster.next(Fault.REQUEST_LOST);
        waits(WaitReason.UNCONFIRMED);
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        bench.pass(Duration.ofSeconds(1));
        waits(WaitReason.UNCONFIRMED);
        assertEquals(Optional.empty(), bench.journal.read().orElseThrow().memberId());
        assertInstanceOf(RollbackOutcome.NothingListed.class, bench.rollBack().outcome());
        assertTrue(cluster.members().stream().anyMatch(member -> member.id().equals(other)));
    }

    /** A machine that got this one's address has joined meanwhile; etcd here has started nothing yet. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStartedMemberAtOurAddressIsAnotherMachines(boolean learner) {
        cluster.next(Fault.REQUEST_LOST);
        waits(WaitReason.UNCONFIRMED);
        MemberId other = cluster.plant(peerUrl("cp-4"), learner);
        cluster.start(other, "cp-4");
        failed(FailReason.ADDRESS_SHARED);
        assertEquals(List.of("addLearner"), verbs());
        assertTrue(cluster.members().stream().anyMatch(member -> member.id().equals(other)));
    }

    @Test
    void anAddIsNotCertainlyLostWhileNobodyLeads() {
        cluster.next(Fault.REQUEST_LOST);
        waits(WaitReason.UNCONFIRMED);
        bench.pass(Duration.ofSeconds(6));
        cluster.silent(cluster.leader());
        for (int i = 0; i < 20; i++) {
            assertEquals(
                    "the members do not agree on a leader",
                    waits(WaitReason.NO_LEADER).detail());
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner"), verbs());
    }

    @Test
    void aLeaderThatWasSilentForAMomentDoesNotLengthenTheWatch() {
        cluster.next(Fault.REQUEST_LOST);
        waits(WaitReason.UNCONFIRMED);
        bench.pass(Duration.ofSeconds(6));
        cluster.failStatuses(1);
        waits(WaitReason.NO_LEADER);
        bench.pass(Duration.ofSeconds(2));
        joined();
        assertTrue(
                bench.elapsed().compareTo(Duration.ofSeconds(12)) < 0, bench.elapsed()::toString);
    }

    @Test
    void aMemberOfAnEarlierRunIsLookedForBeforeItIsTakenForRemoved() {
        bench.noted(JoinState.MANIFEST, new MemberId(0x77));
        waits(WaitReason.UNCONFIRMED);
        assertEquals(0, bench.node.takenAway);
        joined();
        assertTrue(bench.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0);
    }

    @Test
    void aMemberThatIsNotListedWhereNobodyLeadsIsNotTakenForRemoved() {
        bench.noted(JoinState.MANIFEST, new MemberId(0x77));
        cluster.silent(cluster.leader());
        for (int i = 0; i < 20; i++) {
            waits(WaitReason.UNCONFIRMED);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(0, bench.node.takenAway);
    }

    @Test
    void whileNothingIsListedAClusterThatFallsSilentDoesNotAdmit() {
        cluster.next(Fault.REQUEST_LOST);
        cluster.failListsAfterNextChange(FOR_EVER);
        failed(FailReason.NOT_ACCEPTED);
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) >= 0);
    }

    @Test
    void aLearnerIsNotStartedByAListOfBeforeItsAdd() {
        cluster.failListsAfterNextChange(1);
        waits(WaitReason.UNREACHABLE);
        assertEquals(List.of(), bench.node.manifests);
        joined();
    }

    /** The members fall silent when the join has come that far. */
    private Problem silentIn(JoinState state, int voters) {
        SimulatedCluster some = SimulatedCluster.ofVoters(voters);
        bench = new JoinBench(some, "cp-9");
        MemberId id = some.plant(peerUrl("cp-9"), state.compareTo(JoinState.PROMOTED) < 0);
        bench.start(id);
        bench.noted(state, id);
        some.failLists(FOR_EVER);
        return failed(FailReason.MEMBERS_UNREADABLE);
    }

    @Test
    void whatToDoAboutMembersThatFellSilentDependsOnTheVote() {
        assertEquals(
                "check that a majority of the voters is healthy",
                silentIn(JoinState.STARTED, 3).next());
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) >= 0);
        String back = "bring a majority of the voters back, then run the same command again";
        assertEquals(back, silentIn(JoinState.PROMOTING, 3).next());
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) >= 0);
        assertEquals(back, silentIn(JoinState.PROMOTED, 3).next());
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.finalCheck()) >= 0
                && bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) < 0);
        assertTrue(silentIn(JoinState.PROMOTED, 1).next().startsWith("two voters need each other"));
    }

    @Test
    void theManifestFollowsAChangeThatLeavesAsManyMembers() {
        unstarted();
        cluster.removeByOther(cluster.id("cp-3"));
        cluster.start(cluster.plant(peerUrl("cp-5"), false), "cp-5");
        bench.pass(Duration.ofSeconds(1));
        bench.node.kubelet = true;
        joined();
        assertEquals(2, bench.node.manifests.size());
        assertTrue(bench.node.manifests.getLast().stream()
                .anyMatch(member -> member.peerUrls().contains(peerUrl("cp-5"))));
        assertEquals(
                1,
                bench.told.stream()
                        .filter(
                                text -> text.equals(
                                        "the member list changed before the member started: wrote its manifest again"))
                        .count(),
                bench.told::toString);
    }

    @Test
    void dataIsLostOnlyIfNothingOfTheMemberIsLeft() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.write(100_000);
        cluster.lag(id, 50_000);
        waits(WaitReason.CATCHING_UP);
        bench.node.localDataDir = LocalDataDir.NONE;
        bench.node.life = LocalMemberHealth.NONE;
        waits(WaitReason.CATCHING_UP);
        cluster.silent(id);
        bench.node.life = LocalMemberHealth.ALIVE;
        waits(WaitReason.CATCHING_UP);
        bench.node.localDataDir = LocalDataDir.SOME_DATA;
        bench.node.life = LocalMemberHealth.NONE;
        waits(WaitReason.CATCHING_UP);
        assertEquals(List.of("addLearner"), verbs());
        bench.node.localDataDir = LocalDataDir.NONE;
        bench.go();
        assertEquals("remove " + id, cluster.changes().getLast());
    }

    @Test
    void theNodeIsAskedOnlyForWhatMatters() {
        joined();
        assertEquals(List.of(JoinState.PREPARED), List.copyOf(bench.node.askedForHindrance));
        assertEquals(List.of(JoinState.PROMOTED), List.copyOf(bench.node.askedForReadiness));
        assertEquals(0, bench.node.helped);
    }

    @Test
    void helpIsAskedForNeitherWithoutAMemberNorForOneThatAnswers() {
        cluster.silent(cluster.leader());
        waits(WaitReason.NO_LEADER);
        assertEquals(0, bench.node.helped);
        bench = new JoinBench(SimulatedCluster.ofVoters(3), "cp-4");
        MemberId id = unstarted();
        bench.start(id);
        bench.cluster.write(100_000);
        bench.cluster.lag(id, 50_000);
        int before = bench.node.helped;
        waits(WaitReason.CATCHING_UP);
        assertEquals(before, bench.node.helped, "it answers");
        bench.cluster.silent(id);
        assertEquals(
                "the member does not answer: Connection refused",
                waits(WaitReason.CATCHING_UP).detail());
        assertEquals(before, bench.node.helped, "it has served, and is left alone");
    }

    @Test
    void helpIsAskedForOneThatIsListedAsStartedAndHasServedNobody() {
        MemberId id = unstarted();
        int before = bench.node.helped;
        bench.start(id);
        cluster.silent(id);
        waits(WaitReason.CATCHING_UP);
        assertEquals(before + 1, bench.node.helped);
    }

    @Test
    void whoQueuesOnlyLooks() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        waits(WaitReason.TOO_MANY_LEARNERS);
        assertEquals(
                WaitReason.TOO_MANY_LEARNERS, bench.queueing().orElseThrow().reason());
        cluster.removeByOther(other);
        assertFalse(bench.queueing().isPresent());
        assertEquals(List.of(), verbs());
        bench.node.kubelet = false;
        waits(WaitReason.STARTING);
        assertFalse(bench.queueing().isPresent(), "that is no turn");
    }
}
