package io.kjadm.core.etcd.commands;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.TellingWaiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.SimulatedCluster.Fault;
import io.kjadm.etcd.join.FailReason;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** An operator changes the members of the cluster of cp-1. */
class MembershipChangesTest {

    private static final Predicate<URI> NOBODY_LISTENS = url -> false;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final OpsLab lab = new OpsLab(3).onControlPlane();
    private final List<String> questions = new ArrayList<>();

    // ---- remove

    @Test
    void aDeadVoterIsRemovedByName() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.changes().remove("cp-3");
        assertEquals(List.of("cp-1", "cp-2"), lab.names());
        assertEquals(
                List.of(
                        "[etcd] Pre-check passed: the other voters keep a quorum",
                        "[etcd] Removing etcd member a003 cp-3 (voter, https://cp-3:2380)",
                        "[etcd] etcd no longer lists member a003",
                        "[etcd] Now 2 of 2 voters are healthy, 2 are needed"),
                lab.out.lines());
        assertEquals(List.of(), lab.out.warnings());
    }

    @Test
    void onAControlPlaneWhatIsLeftToDoForTheNodeIsTold() {
        lab.onControlPlane().files.with("/etc/kubernetes/manifests/kube-apiserver.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: kube-apiserver}
                spec:
                  containers:
                  - name: kube-apiserver
                    command: [kube-apiserver]
                """);
        lab.changes().remove("cp-3");
        assertEquals(
                "[etcd] Next: run 'kjadm reset' on cp-3; if that machine is lost, run 'kubectl delete node cp-3'",
                lab.out.lines().getLast());
    }

    @Test
    void whatIsChangedIsLookedUpInTheListThatAllAgreeOn() {
        lab.etcd.members().forEach(member -> lab.etcd.freezeList(member.id()));
        MemberId added = lab.learner("cp-4");
        lab.changes().remove(added.toString());
        assertEquals(List.of("remove " + added), lab.etcd.changes());
    }

    @Test
    void aListThatCannotBeReadForAMomentDoesNotEndARemoval() {
        lab.waiter.eachTime(lab.etcd::tick);
        onceInTurn(() -> lab.etcd.failLists(1)).remove("cp-3");
        assertEquals(List.of("cp-1", "cp-2"), lab.names());
    }

    @Test
    void aListThatMayNotBeReadEndsARemovalAtOnce() {
        MembershipChanges changes = onceInTurn(() ->
                lab.etcd.refuseLists(RpcCode.PERMISSION_DENIED, "etcdserver: permission denied"));
        ClusterException failure =
                assertThrows(ClusterException.class, () -> changes.remove("cp-3"));
        assertTrue(failure.what().startsWith("etcd does not remove member a003"), failure.what());
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void aRemovalIsDoneThoughNobodyTellsHowTheMembersAreThen() {
        lab.etcd.beforeList(() -> {
            if (lab.turns.size() == 2) {
                lab.etcd.failLists(1);
            }
        });
        lab.changes().remove("cp-3");
        assertEquals(
                List.of("the health of the members is unknown now: io exception"),
                lab.out.warnings());
    }

    @Test
    void theLeaderHandsOverBeforeItGoes() {
        MemberId leader = lab.etcd.leader();
        lab.changes().remove(leader.toString());
        assertEquals("moveLeader", lab.etcd.changes().getFirst().split(" ")[0]);
        assertEquals("remove " + leader, lab.etcd.changes().getLast());
        assertEquals(2, lab.names().size());
    }

    @Test
    void aRemovalIsMadeInATurnOfItsOwn() {
        lab.changes().remove("cp-3");
        assertEquals(
                List.of("take member remove", "give back after " + lab.etcd.changes()), lab.turns);
    }

    @Test
    void whatHappensBeforeItsTurnComesCounts() {
        lab.meanwhile = () -> lab.etcd.stop(lab.etcd.id("cp-2"));
        ClusterException refused =
                assertThrows(ClusterException.class, () -> lab.changes().remove("cp-3"));
        assertEquals(Optional.of(CommonReason.NEEDED_FOR_QUORUM), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void theLeaseOfADeadRunDoesNotSwitchTheLockOff() {
        lab.lock = lab.held("cp-9/run", Duration.ofHours(1), false);
        lab.changes().remove("cp-3");
        assertEquals(
                List.of("take member remove", "give back after " + lab.etcd.changes()), lab.turns);
    }

    @Test
    void withoutTheApiServerThereAreNoTurns() {
        lab.lock = new MembershipLeaseStatus.Unknown("the API server is down");
        lab.changes().remove("cp-3");
        assertEquals(List.of(), lab.turns);
        assertEquals(List.of("cp-1", "cp-2"), lab.names());
    }

    @Test
    void aRefusedRemovalTakesNoTurn() {
        assertReason(
                CommonReason.UNKNOWN_MEMBER,
                UsageException.class,
                () -> lab.changes().remove("cp-33"));
        assertEquals(List.of(), lab.turns);
    }

    @Test
    void aRemovalThatWouldCostTheQuorumIsRefusedAndShowsWhoIsHealthy() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        ClusterException refused =
                assertThrows(ClusterException.class, () -> lab.changes().remove("cp-2"));
        assertEquals(Optional.of(CommonReason.NEEDED_FOR_QUORUM), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
        EtcdStatus shown = lab.refusals.getFirst();
        assertEquals(2, shown.voters().healthy());
        assertEquals(3, shown.members().size());
    }

    @Test
    void withoutAQuorumNothingIsTried() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.etcd.stop(lab.etcd.id("cp-2"));
        MembershipChanges changes = lab.changes();
        assertEquals(
                Optional.of(CommonReason.NO_QUORUM),
                assertThrows(ClusterException.class, () -> changes.remove("cp-3"))
                        .reason());
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
    }

    @Test
    void theOnlyVoterStays() {
        OpsLab one = new OpsLab(1).onControlPlane();
        ClusterException refused =
                assertThrows(ClusterException.class, () -> one.changes().remove("cp-1"));
        assertEquals(Optional.of(CommonReason.ONLY_VOTER), refused.reason());
        assertEquals(List.of(), one.etcd.changes());
    }

    @Test
    void nobodyIsRemovedByAMistypedName() {
        UsageException refused =
                assertThrows(UsageException.class, () -> lab.changes().remove("cp-33"));
        assertEquals(Set.of("cp-1", "cp-2", "cp-3"), Named.members(refused.why()), refused.why());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void whileSomebodyElseChangesTheMembersNothingIsDone() {
        lab.lock = lab.held("cp-9/run", Duration.ofMinutes(2), true);
        ClusterException refused =
                assertThrows(ClusterException.class, () -> lab.changes().remove("cp-3"));
        assertEquals("etcd's members are being changed by cp-9/run", refused.what());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void withTheApiServerDownItIsSaidThatNobodyKnowsOfOtherChanges() {
        lab.lock = new MembershipLeaseStatus.Unknown("connection refused");
        lab.changes().remove("cp-3");
        assertEquals(2, lab.names().size());
        assertTrue(
                lab.out.warnings().getFirst().endsWith(": connection refused"),
                lab.out.warnings().toString());
    }

    @Test
    void whoRemovesThisNodesMemberIsToldToResetTheNode() {
        lab.changes().remove("cp-1");
        assertEquals(
                "this node's etcd has been removed for good: clean this node with 'kjadm reset'",
                lab.out.warnings().getLast());
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            mode = Mode.EXCLUDE,
            names = {"NEEDS_HUMAN", "FORBIDDEN"})
    void aFaultOnTheWayDoesNotLeaveTheMember(Fault fault) {
        lab.waiter.eachTime(lab.etcd::tick);
        lab.etcd.next(fault);
        lab.changes().remove("cp-3");
        assertEquals(List.of("cp-1", "cp-2"), lab.names());
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NEEDS_HUMAN", "FORBIDDEN"})
    void aRefusalThatWillNotPassIsToldAtOnce(Fault fault) {
        lab.etcd.next(fault);
        ClusterException failure =
                assertThrows(ClusterException.class, () -> lab.changes().remove("cp-3"));
        assertEquals(Optional.of(CommonReason.STILL_LISTED), failure.reason());
        assertEquals(3, lab.names().size());
    }

    @Test
    void aMemberThatIsNotRemovedInTimeIsAFailure() {
        lab.etcd.next(many(Fault.REQUEST_LOST));
        ClusterException failure =
                assertThrows(ClusterException.class, () -> lab.changes().remove("cp-3"));
        assertEquals(Optional.of(CommonReason.TIMED_OUT), failure.reason());
        assertEquals(3, lab.names().size());
    }

    @Test
    void aDryRunOfARemovalOnlyTells() {
        dry().remove(lab.etcd.leader().toString());
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(
                List.of(
                        "Would transfer etcd's leadership from a001 to a002",
                        "Would remove etcd member a001"),
                lab.out.in("dryrun"));
    }

    // ---- promote

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
        dry().promote("cp-4", LIMIT);
        assertFalse(voters().contains(id));
        assertEquals(List.of("Would promote etcd member " + id), lab.out.in("dryrun"));
    }

    // ---- clean up

    @Test
    void aGhostLearnerIsShownThenRemoved() {
        MemberId ghost = lab.learner("cp-4");
        lab.changes().cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes);
        assertEquals(List.of("remove " + ghost), lab.etcd.changes());
        assertEquals(3, lab.names().size());
        assertEquals(1, questions.size());
        assertTrue(
                questions.getFirst().startsWith("This learner will be removed"),
                questions.getFirst());
        assertHasLine(
                "[etcd] Learner %s (learner not started, https://cp-4:2380), unknown who added it"
                        .formatted(ghost),
                lab.out.text());
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
    }

    @Test
    void allGhostsAreNamedInOneQuestion() {
        lab.learner("cp-4");
        lab.learner("cp-5");
        lab.changes().cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes);
        assertEquals(1, questions.size());
        assertTrue(
                questions.getFirst().startsWith("Each of these learners will be removed"),
                questions.getFirst());
        assertEquals(List.of("cp-1", "cp-2", "cp-3"), lab.names());
    }

    @Test
    void withoutAYesTheGhostStays() {
        lab.learner("cp-4");
        MembershipChanges changes = lab.changes();
        assertThrows(
                UsageException.class,
                () -> changes.cleanUp(
                        Optional.empty(), false, NOBODY_LISTENS, (area, question) -> false));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void whoInsistsIsNotAsked() {
        lab.learner("cp-4");
        lab.changes().cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes);
        assertEquals(List.of(), questions);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aLearnerThatDiedIsRemoved() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.stop(id);
        lab.changes().cleanUp(Optional.of("cp-4"), false, NOBODY_LISTENS, this::yes);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aLearnerThatGetsOnStays() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.write(20_000);
        lab.etcd.lag(id, 9_000);
        lab.waiter.eachTime(() -> lab.etcd.lag(id, 8_000));
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes));
        assertEquals(Optional.of(CommonReason.FOLLOWS), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void aLearnerWhosePeerPortAnswersMayBeReceivingItsData() {
        MemberId id = lab.learner("cp-4");
        List<URI> tried = new ArrayList<>();
        Predicate<URI> probe = url -> tried.add(url);
        MembershipChanges changes = lab.changes();
        assertReason(
                CommonReason.JOINING,
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, probe, this::yes));
        assertEquals(List.of(URI.create("https://cp-4:2380")), tried);
        assertEquals(List.of(), lab.etcd.changes());
        changes.cleanUp(Optional.of(id.toString()), true, probe, this::yes);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aLearnerThatIsBeingJoinedStays() {
        lab.learner("cp-4");
        lab.lock = lab.held("cp-4/run", Duration.ofMinutes(2), true);
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes));
        assertEquals("it is being joined by cp-4/run", refused.why());
        assertEquals(4, lab.names().size());
    }

    @Test
    void theLearnerOfThisNodesUnfinishedJoinStaysUnlessTheOperatorInsists() {
        MemberId id = lab.learner("cp-1");
        lab.noteAdded(id);
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes));
        assertEquals(Optional.of(CommonReason.JOINING), refused.reason());
        assertEquals(
                List.of(
                        "Learner a004 (learner not started, https://cp-1:2380), added by an unfinished join of this node"),
                lab.out.in("etcd"));
        changes.cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aVoterIsNeverCleanedUp() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        MembershipChanges changes = lab.changes();
        assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.of("cp-3"), true, NOBODY_LISTENS, this::yes));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void aLearnerThatIsPromotedWhileTheOperatorThinksStays() {
        MemberId id = lab.learner("cp-4");
        MembershipChanges changes = lab.changes();
        ClusterException stopped = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, NOBODY_LISTENS, (area, question) -> {
                    lab.etcd.start(id, "cp-4");
                    lab.etcd.promoteByOther(id);
                    return true;
                }));
        assertEquals(Optional.of(CommonReason.PROMOTED), stopped.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    /** A machine that was off goes on with its join. */
    @Test
    void aLearnerThatComesToLifeWhileTheOperatorThinksStays() {
        MemberId id = lab.startedLearner("cp-4");
        lab.etcd.write(20_000);
        lab.etcd.stop(id);
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), false, NOBODY_LISTENS, (area, question) -> {
                    lab.etcd.start(id, "cp-4");
                    lab.etcd.lag(id, 9_000);
                    lab.waiter.eachTime(() -> lab.etcd.lag(id, 8_000));
                    return true;
                }));
        assertEquals(Optional.of(CommonReason.FOLLOWS), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void withoutLearnersThereIsNothingToDo() {
        lab.changes().cleanUp(Optional.empty(), false, NOBODY_LISTENS, this::yes);
        assertEquals(List.of(), questions);
        assertEquals(List.of("[etcd] There is no learner"), lab.out.lines());
    }

    @Test
    void withoutAQuorumNoLearnerIsRemoved() {
        lab.learner("cp-4");
        lab.etcd.stop(lab.etcd.id("cp-2"));
        lab.etcd.stop(lab.etcd.id("cp-3"));
        MembershipChanges changes = lab.changes();
        ClusterException refused = assertThrows(
                ClusterException.class,
                () -> changes.cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes));
        assertEquals(Optional.of(CommonReason.NO_QUORUM), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(Duration.ZERO, lab.waiter.elapsed());
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            mode = Mode.EXCLUDE,
            names = {"NEEDS_HUMAN", "FORBIDDEN"})
    void aFaultOnTheWayDoesNotLeaveTheGhost(Fault fault) {
        lab.learner("cp-4");
        lab.waiter.eachTime(lab.etcd::tick);
        lab.etcd.next(fault);
        lab.changes().cleanUp(Optional.empty(), true, NOBODY_LISTENS, this::yes);
        assertEquals(3, lab.names().size());
    }

    @Test
    void aDryRunOfACleanupOnlyTells() {
        lab.learner("cp-4");
        dry().cleanUp(Optional.empty(), false, NOBODY_LISTENS, Confirmation.GIVEN);
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(List.of("Would remove etcd member a004"), lab.out.in("dryrun"));
    }

    /** Something happens when the turn has been taken. */
    private MembershipChanges onceInTurn(Runnable happening) {
        return lab.changes(
                lab.open(),
                (work, wait) -> {
                    happening.run();
                    return lab.turns().take(work, wait);
                },
                lab.waiter);
    }

    /** The lab's waiter, with every answer that is not the awaited one written down. */
    private boolean yes(String area, String question) {
        return questions.add(question);
    }

    private MembershipChanges dry() {
        EtcdSession session = lab.open(
                new EtcdTarget(List.of(), Optional.empty()),
                ReportingEtcdCluster.connector(lab.connector(), lab.out));
        return lab.changes(session, lab.turns(), new ReportingWaiter(lab.waiter::now, lab.out));
    }

    private List<MemberId> voters() {
        return lab.etcd.members().stream().filter(Member::voter).map(Member::id).toList();
    }

    private static Fault[] many(Fault fault) {
        Fault[] faults = new Fault[500];
        Arrays.fill(faults, fault);
        return faults;
    }
}
