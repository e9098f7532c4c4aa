package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The failures of a reset that etcd's reference (§6.8) lists, by number. The last member has
 * {@link LastVoterGuardTest}, interruptions have {@link ResetResumeTest}.
 */
class ResetFaultsTest {

    private final ResetLab lab = new ResetLab();

    @Test
    void f104TheLeaderHandsOverLeavesAndItsNodeIsClean() {
        ResetRun done = lab.reset();
        done.conclude();
        assertEquals(
                List.of("moveLeader a002", "remove a001"),
                lab.etcd.changes().stream()
                        .map(change -> change.replaceAll("000000000000", ResetLab.NOTHING))
                        .toList());
        assertFalse(lab.listed("cp-1"));
        assertTrue(lab.etcd.writable());
        lab.assertClean();
    }

    @Test
    void f105AMemberThatTheOthersNeedStaysAndNothingIsChanged() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        KjadmException refused = lab.refused();
        assertEquals(Set.of("cp-2", "cp-3"), Named.members(refused.why()));
        assertTrue(lab.listed("cp-1"));
    }

    @Test
    void f105ForceDoesNotOverruleTheQuorum() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        assertThrows(PhaseFailure.class, lab::forced);
        assertTrue(lab.listed("cp-1"));
        assertTrue(lab.files.exists(ResetLab.MANIFESTS.resolve("etcd.yaml")));
    }

    @Test
    void f106OfTwoOneLeaves() {
        lab.voters(2);
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        assertTrue(lab.etcd.writable());
    }

    @Test
    void f107OfTwoWithTheOtherDownNobodyCanLeave() {
        lab.voters(2);
        lab.etcd.stop(lab.etcd.id("cp-2"));
        KjadmException refused = lab.refused();
        assertEquals(Set.of("cp-1", "cp-2"), Named.members(refused.why()));
        assertEquals(Set.of("--force", "--force-last-member"), Named.flags(refused.next()));
        assertThrows(PhaseFailure.class, lab::forced);
        assertTrue(lab.files.exists(ResetLab.MANIFESTS.resolve("etcd.yaml")));
    }

    @Test
    void f107WhoeverGivesTheClusterUpKeepsItsData() {
        lab.voters(2);
        lab.etcd.stop(lab.etcd.id("cp-2"));
        ResetRun done = lab.run(ResetLab.config(true, true));
        ClusterException told = assertThrows(ClusterException.class, done::conclude);
        assertEquals(
                "a001 cp-1 (voter, https://cp-1:2380): it knows no leader;"
                        + " a002 cp-2 (voter, https://cp-2:2380): Connection refused;"
                        + " its data was moved to /var/lib/etcd.kept-20260203-040510",
                told.why());
        assertTrue(lab.etcd.changes().isEmpty());
        lab.assertClean();
    }

    @Test
    void f108WithoutTheApiServerTheMemberLeavesWithAWarning() {
        lab.apiServes();
        lab.api.down(Kind.UNREACHABLE);
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        assertTrue(
                lab.out.warnings().getLast().contains(LockRecord.NAME),
                lab.out.warnings().toString());
    }

    @Test
    void f109ALostReplyIsReadBack() {
        lab.etcdPod("cp-2");
        lab.etcd.next(SimulatedCluster.Fault.REPLY_LOST);
        lab.reset().conclude();
        assertFalse(lab.listed("cp-2"));
        assertEquals(1, lab.etcd.changes().size());
    }

    @Test
    void f109ALateRemovalIsWaitedFor() {
        lab.etcdPod("cp-2");
        lab.etcd.next(SimulatedCluster.Fault.APPLIED_LATE);
        lab.waiter.eachTime(lab.etcd::tick);
        lab.reset().conclude();
        assertFalse(lab.listed("cp-2"));
        assertEquals(1, lab.etcd.changes().size(), "never sent twice before it is read back");
    }

    @Test
    void f109ARequestThatWasLostIsSentAgainOnceItCannotComeAnyMore() {
        lab.etcdPod("cp-2");
        lab.etcd.next(SimulatedCluster.Fault.REQUEST_LOST);
        lab.reset().conclude();
        assertFalse(lab.listed("cp-2"));
        assertEquals(2, lab.etcd.changes().size());
        assertTrue(
                lab.waiter.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0,
                lab.waiter.elapsed().toString());
    }

    @Test
    void f112TheRunningMemberIsBelievedMoreThanItsManifest() {
        lab.etcdPod("cp-1", "--initial-advertise-peer-urls=https://elsewhere:2380");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    @Test
    void f112ANamesakeUnderAnotherUrlIsNotTakenForGone() {
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.etcdPod(
                "cp-1",
                "--initial-advertise-peer-urls=https://elsewhere:2380",
                "--advertise-client-urls=https://elsewhere:2379");
        KjadmException refused = lab.refused();
        assertEquals(Optional.of(Reason.UNKNOWN), refused.reason());
    }

    @Test
    void f113TheMemberLeavesBeforeItStopsAndStopsBeforeItsDataGoes() {
        List<String> order = new ArrayList<>();
        lab.waiter.eachTime(() -> order.add("%s %s %s"
                .formatted(
                        lab.listed("cp-1") ? "listed" : "left",
                        lab.runtime.containers.get("etcd").running() ? "runs" : "stopped",
                        lab.files.exists(ResetLab.DATA.resolve("member")) ? "data" : "wiped")));
        lab.reset();
        assertEquals(
                List.of("listed runs data", "left stopped data"),
                order.stream().distinct().toList());
        lab.assertClean();
    }

    @Test
    void f114ALearnerOfOursLeavesToo() {
        MemberId learner = lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.etcdPod("cp-4");
        new JournalFile(lab.files, Path.of("/etc/kubernetes/tmp"))
                .write(new JoinEntry(
                        JoinState.ADDED,
                        "earlier",
                        "c1",
                        "cp-4",
                        SimulatedCluster.peerUrl("cp-4"),
                        lab.waiter.now(),
                        List.of(),
                        Optional.of(learner),
                        Optional.empty(),
                        0,
                        false));
        lab.reset().conclude();
        assertEquals(3, lab.etcd.members().size());
        assertFalse(lab.files.exists(Path.of("/etc/kubernetes/tmp/kjadm-etcd-join")));
        lab.assertClean();
    }

    @Test
    void f114ALearnerLeavesThoughAVoterIsDown() {
        lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.etcdPod("cp-4");
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.reset().conclude();
        assertEquals(3, lab.etcd.members().size());
        lab.assertClean();
    }

    @Test
    void f114WhatAnUnfinishedJoinAddedUnderAnotherUrlLeavesToo() {
        MemberId learner = lab.etcd.plant(SimulatedCluster.peerUrl("formerly-cp-1"), true);
        lab.files.with("/etc/kubernetes/tmp/kjadm-etcd-join", "");
        new JournalFile(lab.files, Path.of("/etc/kubernetes/tmp"))
                .write(new JoinEntry(
                        JoinState.ADDED,
                        "earlier",
                        "c1",
                        "cp-1",
                        SimulatedCluster.peerUrl("formerly-cp-1"),
                        lab.waiter.now(),
                        List.of(),
                        Optional.of(learner),
                        Optional.empty(),
                        0,
                        false));
        lab.reset().conclude();
        assertEquals(
                List.of("cp-2", "cp-3"),
                lab.etcd.members().stream().map(Member::name).toList());
        lab.assertClean();
    }

    @Test
    void f115ANodeThatWasResetCanComeBackAndLeaveAgain() {
        lab.reset().conclude();
        assertEquals(new DataDirectory.Empty(), new DataDirReader(lab.files).read(ResetLab.DATA));
        Member again = lab.etcd.addLearner(SimulatedCluster.peerUrl("cp-1"));
        lab.etcd.start(again.id(), "cp-1");
        lab.etcd.promote(again.id());
        lab.setUp();
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        assertEquals("remove " + again.id(), lab.etcd.changes().getLast());
        lab.assertClean();
    }
}
