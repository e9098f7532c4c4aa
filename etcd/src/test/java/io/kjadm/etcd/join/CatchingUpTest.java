package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
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

    @Test
    void aFullDiskLeavesNoLearnerBehind() {
        MemberId id = unstarted();
        bench.journal.full = true;
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertTrue(cluster.members().stream().noneMatch(member -> member.id().equals(id)));
        assertEquals(1, bench.node.takenAway);
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
}
