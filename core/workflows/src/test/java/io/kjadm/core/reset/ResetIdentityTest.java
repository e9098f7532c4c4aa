package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whose member is it? A reset takes the one out that is this node's by its data, by the etcd that
 * runs here, or by what a join has noted, and nobody else's that has the address.
 */
class ResetIdentityTest {

    private final ResetLab lab = new ResetLab();

    /** A machine whose member was removed and whose address another machine has by now. */
    private void oldDisk() {
        lab.dataOf(0xdead);
        lab.etcd.local("");
    }

    @Test
    void whoeverHasTheAddressOfAnOldDiskByNowStays() {
        oldDisk();
        KjadmException refused = lab.refused();
        assertEquals(
                "a001 cp-1 (voter, https://cp-1:2380) is listed under this node's address, and is not shown to be this node's",
                refused.what());
        assertEquals(Optional.of(Reason.UNPROVEN), refused.reason());
        assertEquals(Set.of("--force"), Named.flags(refused.next()));
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void whoeverHasTheAddressStaysAlsoWhileItIsDown() {
        oldDisk();
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.refused();
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void forceCleansAnOldDiskAndLeavesTheOtherMemberAlone() {
        oldDisk();
        ResetRun done = lab.forced();
        assertThrows(ClusterException.class, done::conclude);
        assertInstanceOf(EtcdOutcome.Kept.class, done.outcome().orElseThrow());
        assertEquals(List.of(), lab.etcd.changes());
        assertTrue(lab.listed("cp-1"));
        lab.assertClean();
    }

    @Test
    void copiedAddressIsNoProof() {
        lab.files.deleteContents(ResetLab.DATA);
        lab.etcdPod(
                "cp-9",
                "--initial-advertise-peer-urls=https://cp-1:2380",
                "--advertise-client-urls=https://cp-1:2379");
        KjadmException refused = lab.refused();
        assertEquals(Optional.of(Reason.UNPROVEN), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void twoWitnessesThatDisagreeAreNoProof() {
        lab.dataOf(0xdead);
        KjadmException refused = lab.refused();
        assertEquals(Optional.of(Reason.UNKNOWN), refused.reason());
        assertEquals(List.of(), lab.etcd.changes());
    }

    @Test
    void dataTellsWhoseMemberIsDown() {
        lab.dataOf(0xa001);
        lab.etcdPod("cp-1", "--initial-advertise-peer-urls=https://elsewhere:2380");
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.reset().conclude();
        assertEquals(2, lab.etcd.members().size());
    }

    @Test
    void memberWhoseDataIsLostIsKnownByItsNameAndThatItDoesNotRun() {
        lab.files.deleteContents(ResetLab.DATA);
        lab.etcd.stop(lab.etcd.id("cp-1"));
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }

    /** Another machine has this node's address as soon as its member is not listed. */
    private void theAddressIsTakenAtOnce() {
        boolean[] replaced = {false};
        lab.etcd.beforeList(() -> {
            if (lab.own().isEmpty() && !replaced[0]) {
                replaced[0] = true;
                MemberId next = lab.etcd.plant(SimulatedCluster.peerUrl("cp-1"), false);
                lab.etcd.start(next, "cp-1b");
            }
        });
    }

    @Test
    void whoTakesTheAddressWhileThisMemberLeavesIsNotItsBusiness() {
        lab.dataOf(0xa001);
        theAddressIsTakenAtOnce();
        lab.reset().conclude();
        assertEquals(3, lab.etcd.members().size());
    }

    @Test
    void whoTookTheAddressBeforeThisMemberLeftIsNotShownToBeAnybodyElse() {
        lab.dataOf(0xa001);
        boolean[] replaced = {false};
        lab.etcd.beforeList(() -> {
            if (!replaced[0]
                    && !lab.files.exists(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml"))) {
                replaced[0] = true;
                lab.etcd.removeByOther(lab.etcd.id("cp-1"));
                MemberId next = lab.etcd.plant(SimulatedCluster.peerUrl("cp-1"), false);
                lab.etcd.start(next, "cp-1b");
            }
        });
        KjadmException refused = lab.refused();
        assertEquals(Optional.of(Reason.UNPROVEN), refused.reason());
    }

    private void died(JoinState state, Optional<MemberId> member) {
        lab.died(state, "c1", member);
    }

    @Test
    void learnerOfAJoinThatDiedWhileItWasAddedLeaves() {
        died(JoinState.ADDING, Optional.empty());
        lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.reset().conclude();
        assertEquals(3, lab.etcd.members().size());
        assertFalse(lab.files.exists(ResetLab.JOIN_NOTE));
        leavesWithoutAWait();
    }

    /** Nothing can come any more, so that nothing has to be waited for. */
    private void leavesWithoutAWait() {
        assertTrue(
                lab.waiter.elapsed().compareTo(EtcdCluster.LATE_CHANGE) < 0,
                lab.waiter.elapsed().toString());
    }

    @Test
    void learnerThatIsKnownToBeAddedLeavesWithoutAWait() {
        MemberId learner = lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        died(JoinState.ADDED, Optional.of(learner));
        lab.reset().conclude();
        assertEquals(3, lab.etcd.members().size());
        leavesWithoutAWait();
    }

    @Test
    void joinThatSentNothingIsNotWaitedFor() {
        died(JoinState.PREPARED, Optional.empty());
        lab.reset().conclude();
        assertEquals(3, lab.etcd.members().size());
        leavesWithoutAWait();
    }

    @Test
    void memberThatVotesAlreadyIsNotWaitedFor() {
        MemberId voter = lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), false);
        lab.etcd.start(voter, "cp-4");
        died(JoinState.PROMOTING, Optional.of(voter));
        lab.reset().conclude();
        assertFalse(lab.listed("cp-4"));
        leavesWithoutAWait();
    }

    @Test
    void memberThatSomebodyElseAddedMeanwhileIsNotWhatTheJoinHasAdded() {
        died(JoinState.ADDING, Optional.empty());
        MemberId other = lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), true);
        lab.reset().conclude();
        assertTrue(
                lab.etcd.members().stream().anyMatch(member -> member.id().equals(other)),
                lab.etcd.members().toString());
    }

    @Test
    void addThatIsAppliedLateIsWaitedFor() {
        died(JoinState.ADDING, Optional.empty());
        lab.waiter.after(
                Duration.ofSeconds(5),
                () -> lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true));
        lab.reset().conclude();
        assertEquals(3, lab.etcd.members().size());
        assertTrue(lab.etcd.changes().stream().anyMatch(change -> change.startsWith("remove")));
    }

    @Test
    void thatNothingWasAddedIsKnownWhenNothingCanComeAnyMore() {
        died(JoinState.ADDING, Optional.empty());
        lab.reset().conclude();
        assertTrue(
                lab.waiter.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0,
                lab.waiter.elapsed().toString());
        assertFalse(lab.files.exists(ResetLab.JOIN_NOTE));
    }

    @Test
    void memberThatWasListedBeforeIsNotWhatTheJoinHasAdded() {
        lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        died(JoinState.ADDING, Optional.empty());
        lab.reset();
        assertEquals(4, lab.etcd.members().size());
    }

    @Test
    void promotionThatWasSentIsWaitedForBeforeTheLearnerGoes() {
        MemberId learner = lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.etcd.start(learner, "cp-4");
        died(JoinState.PROMOTING, Optional.of(learner));
        lab.reset().conclude();
        assertTrue(
                lab.waiter.elapsed().compareTo(EtcdCluster.LATE_CHANGE) >= 0,
                lab.waiter.elapsed().toString());
        assertFalse(lab.listed("cp-4"));
    }

    @Test
    void notesOfAJoinWhoseOutcomeIsNotKnownAreKept() {
        died(JoinState.ADDING, Optional.empty());
        lab.reachable = false;
        KjadmException refused = lab.refused();
        assertEquals(Optional.of(Reason.UNREACHABLE), refused.reason());
        ResetRun done = lab.forced();
        assertThrows(ClusterException.class, done::conclude);
        assertTrue(lab.files.exists(ResetLab.JOIN_NOTE), "the next reset can still tell");
    }

    @Test
    void forceStopsNoVoterThatIsNeededSinceAnotherOneWentDown() {
        lab.waiter.eachTime(() -> {
            if (!lab.files.exists(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml"))) {
                lab.etcd.stop(lab.etcd.id("cp-3"));
            }
        });
        KjadmException refused = assertInstanceOf(
                KjadmException.class,
                assertThrows(PhaseFailure.class, lab::forced).getCause());
        assertEquals(Set.of("cp-2", "cp-3"), Named.members(refused.why()));
        staysAsItWas();
    }

    @Test
    void forceIsNoAnswerToARefusalByEtcd() {
        lab.etcd.next(SimulatedCluster.Fault.UNHEALTHY);
        lab.waiter.eachTime(() -> lab.etcd.next(SimulatedCluster.Fault.UNHEALTHY));
        assertThrows(PhaseFailure.class, lab::forced);
        staysAsItWas();
    }

    @Test
    void forceStopsNoVoterOfTwoWhoseListCannotBeRead() {
        lab.voters(2);
        lab.etcd.failLists(10_000);
        KjadmException refused = assertInstanceOf(
                KjadmException.class,
                assertThrows(PhaseFailure.class, lab::forced).getCause());
        assertTrue(
                refused.why()
                        .endsWith(
                                "1 are healthy, 2 are needed while it is listed; unhealthy: none"),
                refused.why());
        assertEquals("bring the other voters back, then reset again", refused.next());
        lab.etcd.failLists(0);
        staysAsItWas();
    }

    @Test
    void whoDoesNotForceLearnsWhyTheListCannotBeRead() {
        lab.voters(2);
        lab.etcd.failLists(10_000);
        KjadmException refused = lab.refused();
        assertEquals("etcd cannot be reached", refused.what());
        lab.etcd.failLists(0);
        staysAsItWas();
    }

    @Test
    void theEndOfTheClusterIsNoAnswerEitherWhereTheListCannotBeRead() {
        lab.voters(2);
        lab.etcd.failLists(10_000);
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::ended);
        assertEquals(
                Optional.of(Reason.NEEDED_FOR_QUORUM),
                assertInstanceOf(KjadmException.class, failure.getCause()).reason());
        lab.etcd.failLists(0);
        staysAsItWas();
    }

    @Test
    void forceNamesTheVoterThatIsDownWhereTheListCannotBeRead() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.etcd.failLists(10_000);
        KjadmException refused = assertInstanceOf(
                KjadmException.class,
                assertThrows(PhaseFailure.class, lab::forced).getCause());
        assertEquals(Optional.of(Reason.NEEDED_FOR_QUORUM), refused.reason());
        assertEquals(Set.of("cp-3"), Named.members(refused.why()));
        lab.etcd.failLists(0);
        staysAsItWas();
    }

    @Test
    void forceStopsAVoterThatTheOthersCanDoWithoutThoughItStaysListed() {
        lab.etcd.failLists(10_000);
        ResetRun done = lab.forced();
        assertThrows(ClusterException.class, done::conclude);
        assertTrue(lab.etcd.writable());
        lab.assertClean();
    }

    @Test
    void aSignalLetsAResetThatHasBegunEnd() {
        Thread caller = Thread.currentThread();
        int[] signals = {0};
        lab.waiter.eachTime(() -> {
            if (!lab.files.exists(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml"))) {
                signals[0]++;
                caller.interrupt();
                if (Thread.interrupted()) {
                    throw new ClusterException("interrupted while waiting", "asked to stop", "");
                }
            }
        });
        lab.reset().conclude();
        assertTrue(signals[0] > 0, "the signal did come meanwhile");
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }

    private void staysAsItWas() {
        assertTrue(lab.listed("cp-1"));
        for (String pod : List.of("etcd", "kube-apiserver", "kube-scheduler")) {
            assertTrue(lab.files.exists(ResetLab.MANIFESTS.resolve(pod + ".yaml")), pod);
        }
        assertTrue(lab.runtime.containers.get("etcd").running());
        assertTrue(lab.files.exists(Path.of("/etc/kubernetes/pki/etcd/ca.key")));
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
    }

    @Test
    void aManifestThatTellsNothingIsNoHindranceWhereTheClusterTells() {
        lab.configured("");
        lab.files.with("/etc/kubernetes/manifests/etcd.yaml", "spec: [");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    @Test
    void aFounderWithoutDataThatRunsAllTheSameIsRemoved() {
        lab.files.deleteContents(ResetLab.DATA);
        lab.etcdPod("cp-1", "--initial-cluster-state=new");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    @Test
    void aFounderWithoutDataThatIsNeededStays() {
        lab.files.deleteContents(ResetLab.DATA);
        lab.etcdPod("cp-1", "--initial-cluster-state=new");
        lab.etcd.stop(lab.etcd.id("cp-3"));
        assertEquals(Set.of("cp-2", "cp-3"), Named.members(lab.refused().why()));
    }

    @Test
    void aFounderThatLostItsDataIsNotForgottenWhereThereIsACluster() {
        lab.configured("");
        lab.reachable = false;
        lab.files.deleteContents(ResetLab.DATA);
        lab.etcdPod("cp-1", "--initial-cluster-state=new");
        assertEquals(Optional.of(Reason.UNREACHABLE), lab.refused().reason());
    }

    /** The data of the first node are on a disk that did not come at this boot, so its etcd is off. */
    @Test
    void anEtcdWhoseDiskIsNotMountedMayHaveStarted() {
        lab.reachable = false;
        lab.files.deleteContents(ResetLab.DATA);
        lab.etcdPod("cp-1", "--initial-cluster-state=new");
        lab.files.with("/etc/fstab", "LABEL=etcd /var/lib/etcd xfs defaults,nofail 0 0");

        KjadmException refused = lab.refused();

        assertEquals(Optional.of(Reason.UNREACHABLE), refused.reason());
        assertTrue(Named.files(refused.why()).contains("/var/lib/etcd"), refused::why);
        assertTrue(lab.files.exists(ResetLab.MANIFESTS.resolve("etcd.yaml")));
    }
}
