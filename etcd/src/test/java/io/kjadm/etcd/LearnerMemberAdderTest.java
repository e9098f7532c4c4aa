package io.kjadm.etcd;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.SimulatedCluster.Fault;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LearnerMemberAdderTest {

    private static final NewMember CP4 = new NewMember("cp-4", peerUrl("cp-4"));

    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
    private final LearnerMemberAdder adder = new LearnerMemberAdder();

    @Test
    void learnerIsAddedStartedAndPromoted() {
        Announcement.Added added = added();
        assertTrue(added.member().learner());
        assertEquals(4, added.members().size());
        assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, added.member().id()));
        cluster.start(added.member().id(), "cp-4");
        assertInstanceOf(Settlement.Voter.class, adder.settle(cluster, added.member().id()));
        assertEquals(List.of("addLearner https://cp-4:2380", "promote " + added.member().id()), cluster.changes());
    }

    @Test
    void etcd33IsRefusedBeforeAnythingIsAdded() {
        SimulatedCluster old = SimulatedCluster.ofVoters(1, "3.3.25");
        var refused = assertInstanceOf(Announcement.Refused.class, adder.announce(old, CP4));
        assertEquals("etcd learner mode is not supported by this etcd version", refused.what());
        assertTrue(refused.why().contains("cp-1 3.3.25"), refused.why());
        assertEquals(List.of(), old.changes());
    }

    @Test
    void oneOldMemberAmongNewOnesIsEnoughToRefuse() {
        cluster.version(cluster.id("cp-2"), "3.3.27");
        assertInstanceOf(Announcement.Refused.class, adder.announce(cluster, CP4));
        assertEquals(List.of(), cluster.changes());
    }

    @Test
    void silentMemberBeside34MightBe33() {
        SimulatedCluster old = SimulatedCluster.ofVoters(3, "3.4.23");
        old.stop(old.id("cp-3"));
        assertInstanceOf(Announcement.MustWait.class, adder.announce(old, CP4));
        assertEquals(List.of(), old.changes());
    }

    @Test
    void anotherLearnerGoesFirstAndIsNamed() {
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        var wait = waitFor(WaitReason.TOO_MANY_LEARNERS);
        assertTrue(wait.detail().contains(other.toString()) && wait.detail().contains("https://cp-9:2380"));
        assertEquals(List.of(), cluster.changes());
        cluster.removeByOther(other);
        added();
    }

    @Test
    void anotherMemberThatHasNotStartedGoesFirst() {
        cluster.plant(peerUrl("cp-9"), false);
        waitFor(WaitReason.MEMBER_NOT_STARTED);
        assertEquals(List.of(), cluster.changes());
    }

    @Test
    void lostReplyIsReadBackInsteadOfSentAgain() {
        cluster.next(Fault.REPLY_LOST);
        assertTrue(added().member().learner());
        assertEquals(1, cluster.changes().size());
    }

    @Test
    void lateAddIsFoundByTheNextCall() {
        cluster.next(Fault.APPLIED_LATE);
        assertEquals(Announcer.LATE_CHANGE, waitFor(WaitReason.UNCONFIRMED).pause());
        cluster.tick();
        assertInstanceOf(Announcement.AlreadyThere.class, adder.announce(cluster, CP4));
        assertEquals(1, cluster.changes().size());
    }

    @Test
    void lostRequestIsSentAgainOnlyAfterTwoListsUnderOneTerm() {
        cluster.next(Fault.REQUEST_LOST);
        waitFor(WaitReason.UNCONFIRMED);
        added();
        assertEquals(2, cluster.changes().size());
    }

    @Test
    void newLeaderMakesTheWatchStartAnew() {
        cluster.next(Fault.LEADER_CHANGED);
        waitFor(WaitReason.UNCONFIRMED);
        waitFor(WaitReason.UNCONFIRMED);
        assertEquals(1, cluster.changes().size());
        added();
    }

    @Test
    void unreadableListAfterALostReplyDoesNotCountAsReadBack() {
        cluster.next(Fault.REQUEST_LOST);
        cluster.failListsAfterNextChange(1);
        waitFor(WaitReason.UNREACHABLE);
        waitFor(WaitReason.UNCONFIRMED);
        added();
    }

    @Test
    void youngConnectionsAreWaitedFor() {
        cluster.next(Fault.UNHEALTHY);
        waitFor(WaitReason.UNHEALTHY);
        added();
    }

    @Test
    void missingLeaderIsWaitedFor() {
        cluster.next(Fault.NO_LEADER);
        waitFor(WaitReason.NO_LEADER);
        added();
    }

    @Test
    void lostQuorumIsWaitedForWithoutAdding() {
        cluster.stop(cluster.id("cp-1"));
        cluster.stop(cluster.id("cp-2"));
        waitFor(WaitReason.NO_LEADER);
        assertEquals(List.of(), cluster.changes());
    }

    @Test
    void alarmIsRefused() {
        cluster.alarm("NOSPACE");
        var refused = assertInstanceOf(Announcement.Refused.class, adder.announce(cluster, CP4));
        assertTrue(refused.what().contains("NOSPACE"));
    }

    @Test
    void downgradeInProgressIsRefused() {
        cluster.downgrade();
        assertInstanceOf(Announcement.Refused.class, adder.announce(cluster, CP4));
        assertEquals(List.of(), cluster.changes());
    }

    @Test
    void nameOfAnotherMemberIsRefused() {
        refused(new NewMember("cp-2", peerUrl("cp-4")), "named cp-2");
    }

    @Test
    void unknownUnstartedLearnerWithOurUrlIsRefused() {
        cluster.plant(peerUrl("cp-4"), true);
        refused(CP4, "this node has not added");
    }

    @Test
    void rerunFindsItsOwnLearner() {
        MemberId earlier = cluster.plant(peerUrl("cp-4"), true);
        var rerun = new NewMember("cp-4", peerUrl("cp-4"), new LocalTrace(Optional.of(earlier), false));
        var there = assertInstanceOf(Announcement.AlreadyThere.class, adder.announce(cluster, rerun));
        assertEquals(earlier, there.member().id());
        assertEquals(List.of(), cluster.changes());
    }

    @Test
    void learnerWithLostDataIsReplaced() {
        MemberId earlier = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(earlier, "cp-4");
        cluster.stop(earlier);
        Announcement.Added added = added();
        assertFalse(added.member().id().equals(earlier));
        assertEquals(List.of("remove " + earlier, "addLearner https://cp-4:2380"), cluster.changes());
    }

    @Test
    void runningLearnerWithOurUrlIsNeverRemoved() {
        MemberId earlier = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(earlier, "cp-4");
        refused(CP4, "not from this node's data directory");
        assertEquals(List.of(), cluster.changes());
    }

    @Test
    void repeatedAnnouncementNeverReplacesWhatItAdded() {
        MemberId id = added().member().id();
        cluster.start(id, "cp-4");
        assertInstanceOf(Announcement.AlreadyThere.class, adder.announce(cluster, CP4));
        assertEquals(1, cluster.changes().size());
    }

    @Test
    void startedVoterWithoutDataIsNeverStarted() {
        refused(new NewMember("cp-2", peerUrl("cp-2")), "has no etcd data");
    }

    @Test
    void startedVoterWithDataHasJoinedAlready() {
        var joined = new NewMember("cp-2", peerUrl("cp-2"), new LocalTrace(Optional.empty(), true));
        assertInstanceOf(Announcement.AlreadyThere.class, adder.announce(cluster, joined));
    }

    @Test
    void unstartedVoterWithOurUrlIsRefused() {
        cluster.plant(peerUrl("cp-4"), false);
        refused(CP4, "has not started");
    }

    @Test
    void dataOfAnUnlistedMemberIsRefused() {
        refused(new NewMember("cp-4", peerUrl("cp-4"), new LocalTrace(Optional.empty(), true)), "not listed");
    }

    @Test
    void urlIsComparedInCanonicalForm() {
        cluster.plant(URI.create("https://[2001:DB8:0:0::4]:2380"), true);
        refused(new NewMember("cp-4", URI.create("https://[2001:db8::4]:2380")), "this node has not added");
    }

    @Test
    void laggingLearnerIsNotPromotedAndShowsProgress() {
        cluster.write(100_000);
        MemberId id = startedLearner();
        cluster.lag(id, 5_000);
        var waiting = assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, id));
        assertEquals(95, waiting.progress().orElseThrow().percent());
        assertEquals(5_000, waiting.progress().orElseThrow().lag());
        assertEquals(1, cluster.changes().size());
    }

    @Test
    void learnerCloseToABusyLeaderIsPromotedAtTheSecondLook() {
        cluster.write(100_000);
        MemberId id = startedLearner();
        adderSeesStartOfWait(id);
        cluster.write(2_000);
        cluster.lag(id, 900);
        assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, id));
        assertInstanceOf(Settlement.Voter.class, adder.settle(cluster, id));
    }

    @Test
    void learnerBehindTheStartOfTheWaitIsNotPromotedHoweverOften() {
        cluster.write(100_000);
        MemberId id = startedLearner();
        cluster.lag(id, 900);
        for (int i = 0; i < 5; i++) {
            assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, id));
        }
        assertEquals(1, cluster.changes().size());
    }

    @Test
    void lostReplyToThePromotionIsSuccess() {
        MemberId id = startedLearner();
        cluster.next(Fault.REPLY_LOST);
        assertInstanceOf(Settlement.Voter.class, adder.settle(cluster, id));
        assertEquals(2, cluster.changes().size());
    }

    @Test
    void promotionByAnotherIsSuccessWithoutPromoting() {
        MemberId id = startedLearner();
        cluster.promoteByOther(id);
        assertInstanceOf(Settlement.Voter.class, adder.settle(cluster, id));
        assertEquals(1, cluster.changes().size());
    }

    @Test
    void removalByAnotherIsGone() {
        MemberId id = startedLearner();
        cluster.removeByOther(id);
        assertEquals(new Settlement.Gone(id), adder.settle(cluster, id));
    }

    @Test
    void leaderChangeDuringThePromotionIsRepeatedAfterReadBack() {
        MemberId id = startedLearner();
        cluster.next(Fault.LEADER_CHANGED);
        assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, id));
        assertInstanceOf(Settlement.Voter.class, adder.settle(cluster, id));
    }

    @Test
    void learnerIsNotPromotedIntoAClusterThatWouldLackAQuorum() {
        SimulatedCluster two = SimulatedCluster.ofVoters(2);
        MemberId id = assertInstanceOf(Announcement.Added.class, adder.announce(two, CP4)).member().id();
        two.start(id, "cp-4");
        two.stop(two.id("cp-2"));
        var waiting = assertInstanceOf(Settlement.CatchingUp.class, adder.settle(two, id));
        assertTrue(waiting.reason().contains("no leader"), waiting.reason());
        assertEquals(1, two.changes().size());
    }

    @Test
    void oneSilentVoterOfThreeStillLeavesAQuorumOfFour() {
        MemberId id = startedLearner();
        cluster.stop(cluster.id("cp-3"));
        assertInstanceOf(Settlement.Voter.class, adder.settle(cluster, id));
        assertTrue(cluster.writable());
    }

    @Test
    void silentLearnerIsNotPromoted() {
        MemberId id = startedLearner();
        cluster.stop(id);
        var waiting = assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, id));
        assertTrue(waiting.reason().contains("does not answer"));
    }

    @Test
    void withdrawnLearnerIsGone() {
        MemberId id = added().member().id();
        assertInstanceOf(Withdrawal.Removed.class, adder.withdraw(cluster, CP4));
        assertEquals("remove " + id, cluster.changes().getLast());
        assertEquals(3, cluster.members().size());
    }

    @Test
    void withdrawalReadsBackALostReply() {
        added();
        cluster.next(Fault.REPLY_LOST);
        assertInstanceOf(Withdrawal.Removed.class, adder.withdraw(cluster, CP4));
    }

    @Test
    void withdrawalWaitsForAPromotionThatWasSent() {
        MemberId id = startedLearner();
        cluster.next(Fault.APPLIED_LATE);
        assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, id));
        var wait = assertInstanceOf(Withdrawal.MustWait.class, adder.withdraw(cluster, CP4));
        assertEquals(Announcer.LATE_CHANGE, wait.pause());
        cluster.tick();
        assertInstanceOf(Withdrawal.NowVoter.class, adder.withdraw(cluster, CP4));
        assertEquals(4, cluster.members().size());
    }

    @Test
    void withdrawalFindsAnAddThatCameLate() {
        cluster.next(Fault.APPLIED_LATE);
        waitFor(WaitReason.UNCONFIRMED);
        assertInstanceOf(Withdrawal.MustWait.class, adder.withdraw(cluster, CP4));
        cluster.tick();
        assertInstanceOf(Withdrawal.Removed.class, adder.withdraw(cluster, CP4));
        assertEquals(3, cluster.members().size());
    }

    @Test
    void nothingOfOthersIsWithdrawn() {
        cluster.plant(peerUrl("cp-4"), true);
        refused(CP4, "not added");
        assertInstanceOf(Withdrawal.NothingListed.class, adder.withdraw(cluster, CP4));
        assertEquals(4, cluster.members().size());
    }

    @Test
    void withdrawalIsTriedAgainWhenTheClusterDoesNotAnswerForAMoment() {
        added();
        cluster.failLists(1);
        assertInstanceOf(Withdrawal.MustWait.class, adder.withdraw(cluster, CP4));
        assertInstanceOf(Withdrawal.Removed.class, adder.withdraw(cluster, CP4));
        assertEquals(3, cluster.members().size());
    }

    private void adderSeesStartOfWait(MemberId id) {
        cluster.lag(id, 2_000);
        assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, id));
    }

    private Announcement.Added added() {
        return assertInstanceOf(Announcement.Added.class, adder.announce(cluster, CP4));
    }

    private MemberId startedLearner() {
        MemberId id = added().member().id();
        cluster.start(id, "cp-4");
        return id;
    }

    private Announcement.MustWait waitFor(WaitReason reason) {
        var wait = assertInstanceOf(Announcement.MustWait.class, adder.announce(cluster, CP4));
        assertEquals(reason, wait.reason(), wait.detail());
        return wait;
    }

    private void refused(NewMember wanted, String text) {
        var refused = assertInstanceOf(Announcement.Refused.class, adder.announce(cluster, wanted));
        assertTrue(refused.what().contains(text), refused.what());
    }
}
