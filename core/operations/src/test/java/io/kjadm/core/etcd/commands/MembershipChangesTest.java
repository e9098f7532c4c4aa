package io.kjadm.core.etcd.commands;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An operator removes a member of the cluster of cp-1. */
class MembershipChangesTest {

    private final OpsLab lab = new OpsLab(3).onControlPlane();

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
        lab.dryRun().remove(lab.etcd.leader().toString());
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(
                List.of(
                        "Would transfer etcd's leadership from a001 to a002",
                        "Would remove etcd member a001"),
                lab.out.in("dryrun"));
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

    private static Fault[] many(Fault fault) {
        Fault[] faults = new Fault[500];
        Arrays.fill(faults, fault);
        return faults;
    }
}
