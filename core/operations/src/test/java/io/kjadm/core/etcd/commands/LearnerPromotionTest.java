package io.kjadm.core.etcd.commands;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.TellingWaiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster.Fault;
import io.kjadm.etcd.join.FailReason;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An operator promotes a learner. */
class LearnerPromotionTest {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final OpsLab lab = new OpsLab(3).onControlPlane();

    @Test
    void aLearnerLevelWithTheLeaderVotesAtOnce() {
        MemberId id = lab.startedLearner("cp-4");
        lab.changes().promote("cp-4", LIMIT);
        assertTrue(voters().contains(id));
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
        assertEquals(
                List.of(
                        "[etcd] Pre-check passed: 4 of 4 voters will be healthy",
                        "[etcd] etcd member a004 cp-4 (voter, https://cp-4:2380) votes",
                        "[etcd] Now 4 of 4 voters are healthy, 3 are needed"),
                lab.out.lines());
        assertEquals(List.of(), lab.out.warnings());
    }

    @Test
    void aPromotionBesideASilentVoterTellsHowManyMoreMayFail() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.changes().promote("cp-4", LIMIT);
        assertTrue(voters().contains(id));
        assertEquals(
                "Now 3 of 4 voters are healthy, 3 are needed",
                lab.out.in("etcd").getLast());
    }

    @Test
    void aLearnerThatLagsIsPromotedWhenItHasCaughtUp() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.write(20_000);
        lab.etcd.lag(id, 5_000);
        lab.waiter.after(Duration.ofSeconds(10), () -> lab.etcd.lag(id, 0));
        lab.changes().promote(id.toString(), LIMIT);
        assertTrue(voters().contains(id));
        assertEquals(10, lab.waiter.elapsed().toSeconds());
    }

    @Test
    void whoeverWaitsForALearnerIsToldHowFarItIs() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.write(20_000);
        lab.etcd.lag(id, 5_000);
        lab.waiter.after(Duration.ofSeconds(3), () -> lab.etcd.lag(id, 0));
        List<String> told = new ArrayList<>();
        lab.changes(lab.open(), lab.turns(), new TellingWaiter(lab.waiter, told))
                .promote("cp-4", LIMIT);
        assertEquals("the member is catching up, 75 % (entry 15100 of 20100)", told.getLast());
    }

    @Test
    void aLearnerThatDoesNotCatchUpStaysALearner() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.write(20_000);
        // nine tenths of the log are enough for etcd, not for us
        lab.etcd.lag(id, 1_500);
        ClusterException failure =
                assertThrows(ClusterException.class, () -> lab.changes().promote("cp-4", LIMIT));
        assertTrue(
                failure.why().endsWith("catching up, 92 % (entry 18600 of 20100)"), failure.why());
        assertFalse(voters().contains(id));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void aVoterIsLeftAsItIs() {
        lab.changes().promote("cp-2", LIMIT);
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(List.of(), lab.turns);
        assertEquals(
                List.of("[etcd] Nothing to do: member a002 cp-2 (voter, https://cp-2:2380)"
                        + " is already a voter"),
                lab.out.lines());
    }

    /** The operator has started it, and promotes it as soon as it is listed with its name. */
    @Test
    void aLearnerThatDoesNotServeYetIsGivenAMoment() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.stop(id);
        lab.waiter.after(Duration.ofMillis(700), () -> lab.etcd.start(id, "cp-4"));
        lab.changes().promote("cp-4", LIMIT);
        assertTrue(voters().contains(id));
    }

    @Test
    void aLearnerThatDoesNotServeIsNotPromoted() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.stop(id);
        assertReason(
                CommonReason.NO_ANSWER,
                ClusterException.class,
                () -> lab.changes().promote("cp-4", LIMIT));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void aLearnerThatNeverStartedIsNotPromoted() {
        MemberId id = lab.learner("cp-4");
        assertReason(
                CommonReason.NOT_STARTED,
                ClusterException.class,
                () -> lab.changes().promote(id.toString(), LIMIT));
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(1, lab.refusals.size());
    }

    @Test
    void aLearnerThatSomebodyRemovesMeanwhileIsGone() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.write(20_000);
        lab.etcd.lag(id, 5_000);
        lab.waiter.after(Duration.ofSeconds(3), () -> lab.etcd.removeByOther(id));
        ClusterException failure =
                assertThrows(ClusterException.class, () -> lab.changes().promote("cp-4", LIMIT));
        assertEquals(Optional.of(FailReason.REMOVED), failure.reason());
    }

    @Test
    void aLostReplyToAPromotionIsReadBack() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.next(Fault.REPLY_LOST);
        lab.changes().promote("cp-4", LIMIT);
        assertTrue(voters().contains(id));
        assertEquals(List.of("promote " + id), lab.etcd.changes());
    }

    @Test
    void aDryRunOfAPromotionOnlyTells() {
        MemberId id = lab.startedLearner("cp-4");
        lab.dryRun().promote("cp-4", LIMIT);
        assertFalse(voters().contains(id));
        assertEquals(List.of("Would promote etcd member " + id), lab.out.in("dryrun"));
    }

    private List<MemberId> voters() {
        return lab.etcd.members().stream().filter(Member::voter).map(Member::id).toList();
    }
}
