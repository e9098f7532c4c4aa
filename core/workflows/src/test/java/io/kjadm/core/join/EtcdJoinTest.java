package io.kjadm.core.join;

import static io.kjadm.core.join.JoinLab.DATA;
import static io.kjadm.core.join.JoinLab.MANIFESTS;
import static io.kjadm.core.join.JoinLab.NOTE;
import static io.kjadm.core.join.JoinLab.PEER;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.lock.VirtualBackground;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** The phase that brings this node's member into a stacked etcd. */
class EtcdJoinTest extends EtcdJoinScene {

    private void join() {
        lab.phases(prepared(), "etcd-join");
    }

    private String initialCluster() {
        Map<String, Object> pod =
                ManifestYaml.readObject(lab.files.text("/etc/kubernetes/manifests/etcd.yaml"));
        Map<?, ?> spec = (Map<?, ?>) pod.get("spec");
        List<?> command = (List<?>)
                ((Map<?, ?>) ((List<?>) spec.get("containers")).getFirst()).get("command");
        return command.stream()
                .map(String::valueOf)
                .filter(word -> word.startsWith("--initial-cluster="))
                .findFirst()
                .orElseThrow()
                .substring("--initial-cluster=".length());
    }

    @Test
    void aLearnerIsAddedStartedAndPromoted() {
        join();
        assertVoter();
        assertEquals(List.of("addLearner", "promote"), verbs());
        assertEquals("cp-1=https://cp-1:2380,cp-2=" + PEER, initialCluster());
    }

    @Test
    void theMembershipLockIsHeldWhileItIsALearner() {
        Set<String> moments = new TreeSet<>();
        JoinRun run = prepared();
        lab.waiter.eachTime(() -> lab.own()
                .filter(Member::learner)
                .ifPresent(learner -> moments.add(lab.api.objects().stream()
                        .filter(Lease.class::isInstance)
                        .map(Lease.class::cast)
                        .flatMap(lease -> LockRecord.of(lease).stream())
                        .map(record ->
                                record.holder().node() + " " + record.work().operation())
                        .findFirst()
                        .orElse("none"))));
        lab.phases(run, "etcd-join");
        assertEquals(Set.of("cp-2 join"), moments);
    }

    @Test
    void theApiServerStartsOnlyWhenItsEtcdVotes() {
        JoinRun run = prepared();
        Path manifest = MANIFESTS.resolve("kube-apiserver.yaml");
        assertFalse(lab.files.exists(manifest));
        lab.waiter.eachTime(() -> assertEquals(
                lab.own().isPresent() && lab.own().get().voter(),
                lab.files.exists(manifest)
                        || lab.own().map(member -> member.voter()).orElse(false)));
        lab.phases(run, "etcd-join");
        assertTrue(lab.files.exists(manifest));
        assertTrue(lab.files.exists(MANIFESTS.resolve("kube-scheduler.yaml")));
    }

    @Test
    void runAgainItFindsItsVoter() {
        JoinRun run = prepared();
        lab.phases(run, "etcd-join", "etcd-join");
        assertVoter();
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void afterACrashItGoesOnWithItsOwnLearner() {
        MemberId learner = lab.etcd.plant(PEER, true);
        lab.noted(JoinState.ADDED, learner);
        join();
        assertVoter();
        assertEquals(List.of("promote"), verbs());
    }

    @Test
    void aLearnerOfSomebodyElseWithOurUrlIsLeftAlone() {
        MemberId learner = lab.etcd.plant(PEER, true);
        ClusterException refused = refused();
        assertEquals(Optional.of(FailReason.UNKNOWN_LEARNER), refused.reason());
        assertTrue(refused.next().contains(learner.toString()), refused.next());
        assertTrue(lab.own().isPresent());
        assertEquals(List.of(), verbs());
    }

    @Test
    void withTooManyLearnersItWaitsItsTurnLongerThanForAFault() {
        MemberId other = lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), true);
        lab.waiter.after(Duration.ofMinutes(7), () -> {
            lab.etcd.start(other, "cp-9");
            lab.etcd.promoteByOther(other);
        });
        join();
        assertVoter();
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofMinutes(7)) > 0);
        assertEquals(
                "cp-1=https://cp-1:2380,cp-9=https://cp-9:2380,cp-2=" + PEER, initialCluster());
    }

    @Test
    void itsTurnHasALimitTooAndNothingIsLeftBehind() {
        lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), false);
        ClusterException refused = refused();
        assertEquals(Optional.of(FailReason.NOT_ACCEPTED), refused.reason());
        assertTakenBack();
    }

    /** There is no lock then, and nobody who has it. */
    @Test
    void apiServerThatIsDownWhenTheTurnIsNearlyOverDoesNotEndTheJoin() {
        JoinRun run = prepared();
        MemberId other = lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), true);
        lab.etcd.start(other, "cp-9");
        lab.waiter.after(Duration.ofMinutes(29), () -> lab.api.down(Kind.UNREACHABLE));
        lab.waiter.after(
                Duration.ofMinutes(30).minusSeconds(3), () -> lab.etcd.removeByOther(other));
        lab.phases(run, "etcd-join");
        assertVoter();
    }

    @Test
    void whoWaitsForALearnerAndThenForTheLockWaitsForOneTurnOnly() {
        JoinRun run = prepared();
        MemberId other = lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), true);
        lab.etcd.start(other, "cp-9");
        lab.waiter.after(Duration.ofMinutes(24), () -> {
            new LeaseLocks(
                            lab.files,
                            lab.waiter,
                            new VirtualBackground(lab.waiter),
                            new SplittableRandom(7))
                    .of(() -> lab.api, "cp-9", lab.out)
                    .take(Work.beginning("join"), Duration.ZERO);
            lab.etcd.removeByOther(other);
        });
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        assertEquals(
                Optional.of(CommonReason.TIMED_OUT),
                assertInstanceOf(ClusterException.class, failure.getCause()).reason());
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofMinutes(33)) < 0,
                "it took " + lab.waiter.elapsed());
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofMinutes(29)) > 0,
                "it took " + lab.waiter.elapsed());
    }

    @Test
    void anEtcdWithoutLearnersIsRefusedBeforeAnythingIsAdded() {
        lab.etcd = SimulatedCluster.ofVoters(1, "3.3.25");
        ClusterException refused = refused();
        assertEquals("etcd learner mode is not supported by this etcd version", refused.what());
        assertEquals(
                "learners came with etcd 3.4; the members run cp-1 3.3.25 (no etcd member was left behind)",
                refused.why());
        assertEquals(List.of(), verbs());
        assertTakenBack();
    }

    @Test
    void theManifestFollowsAMemberListThatChangedBeforeTheFirstStart() {
        lab.etcd = SimulatedCluster.ofVoters(3);
        lab.kubeletWorks = false;
        lab.waiter.after(Duration.ofSeconds(2), () -> lab.etcd.removeByOther(lab.etcd.id("cp-3")));
        lab.waiter.after(Duration.ofSeconds(4), () -> lab.kubeletWorks = true);
        lab.etcd.removeByOther(lab.etcd.id("cp-2"));
        join();
        assertVoter();
        assertEquals("cp-1=https://cp-1:2380,cp-2=" + PEER, initialCluster());
    }

    @Test
    void aLostReplyToTheAddIsReadBack() {
        lab.etcd.next(Fault.REPLY_LOST);
        join();
        assertVoter();
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void aLostReplyToThePromotionIsReadBack() {
        JoinRun run = prepared();
        lab.waiter.after(Duration.ofMillis(1), () -> lab.etcd.next(Fault.REPLY_LOST));
        lab.phases(run, "etcd-join");
        assertVoter();
    }

    @Test
    void dataOfAMemberThatIsNotListedIsRefused() {
        lab.files.with("/var/lib/etcd/member/wal/0.wal", "old");
        assertEquals(Optional.of(FailReason.FOREIGN_DATA), refused().reason());
        assertEquals(List.of(), verbs());
        assertTrue(lab.files.exists(DATA.resolve("member/wal/0.wal")), "it is not ours to move");
    }

    @Test
    void anEmptyMemberDirectoryIsNoData() {
        lab.files.withDirectory("/var/lib/etcd/member");
        lab.phases(prepared(), "etcd-join");
        assertVoter();
    }

    @Test
    void withTheGateOffAVoterIsAddedAtOnce() {
        lab = new JoinLab("featureGates: {EtcdLearnerMode: false}\n");
        join();
        assertVoter();
        assertEquals(List.of("addVoter"), verbs());
    }

    @Test
    void withTheGateOffAVoterThatNeverStartsStaysForTheOperator() {
        lab = new JoinLab("featureGates: {EtcdLearnerMode: false}\n");
        lab.etcd = SimulatedCluster.ofVoters(3);
        lab.etcd.removeByOther(lab.etcd.id("cp-2"));
        lab.kubeletWorks = false;
        ClusterException refused = refused();
        assertEquals(Optional.of(FailReason.START_FAILED), refused.reason());
        assertTrue(lab.own().orElseThrow().voter());
        assertTrue(lab.files.exists(NOTE), "the next run knows it");
        assertTrue(lab.files.exists(MANIFESTS.resolve("etcd.yaml")), "it may be started yet");
    }

    /** What nothing catches: as good as the end of the program. */
    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void aRunThatDiesInAnyStateIsContinuedByTheNext() {
        for (JoinState state : JoinState.values()) {
            for (String moment : List.of("before", "after")) {
                lab = new JoinLab();
                JoinRun run = prepared();
                lab.failpoints = Failpoints.from(
                        Map.of("KJADM_FAILPOINT", state + ":" + moment + "=exit137"), code -> {
                            throw new Death();
                        });
                assertThrows(Death.class, () -> lab.phases(run, "etcd-join"), state + " " + moment);
                lab.failpoints = Failpoints.none();
                lab.phases(run, "etcd-join");
                assertVoter();
                assertEquals(2, lab.etcd.members().size(), state + " " + moment);
            }
        }
    }

    @Test
    void anImageThatVanishedIsFoundBeforeAnythingIsAdded() {
        String image = "registry.k8s.io/etcd:3.6.11-0";
        lab.runtime.refusals.put(image, 5);
        ClusterException refused = refused();
        assertTrue(
                refused.what().startsWith("no etcd member was added: etcd's image " + image),
                refused.what());
        assertEquals(List.of(), verbs());
        assertTakenBack();
    }

    /** F313: each later start of it would remove all other members. */
    @Test
    void anEtcdThatStartsAloneIsRefusedBeforeAnythingIsAdded() {
        lab = new JoinLab(
                "etcd: {local: {extraArgs: [{name: force-new-cluster, value: 'true'}]}}\n");
        ClusterException refused = refused();
        assertEquals(
                "no etcd member was added: etcd of this node would remove all other members at each later start",
                refused.what());
        assertEquals(
                "remove that flag from etcd.local.extraArgs in the ConfigMap kubeadm-config, or the patch that adds it; then run the same command again",
                refused.next());
        assertEquals(List.of(), verbs());
        assertTakenBack();
    }

    @Test
    void aKubeletThatDoesNotRunIsFoundBeforeAnythingIsAdded() {
        lab.kubeletAnswers = false;
        lab.runner.answering("systemctl is-active kubelet", "inactive");
        ClusterException refused = refused();
        assertEquals(
                "no etcd member was added: the kubelet of this node does not run", refused.what());
        assertEquals(
                "see 'systemctl status kubelet' and 'journalctl -xeu kubelet': it has to start etcd; then run the same command again",
                refused.next());
        assertEquals(List.of(), verbs());
        assertTakenBack();
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofSeconds(10)) < 0,
                lab.waiter.elapsed()::toString);
    }

    @Test
    void aKubeletThatIsStillStartingIsWaitedFor() {
        lab.kubeletAnswers = false;
        lab.runner.answering("systemctl is-active kubelet", "active");
        lab.waiter.after(Duration.ofSeconds(7), () -> {
            assertEquals(List.of(), verbs());
            lab.kubeletAnswers = true;
        });
        join();
        assertVoter();
    }

    @Test
    void anExternalEtcdGetsNoMember() {
        lab = new JoinLab("etcd: {external: {endpoints: [\"http://10.0.0.1:2379\"]}}\n");
        join();
        assertEquals(List.of(), verbs());
        assertFalse(lab.files.exists(MANIFESTS.resolve("etcd.yaml")));
        assertTrue(
                lab.files.exists(MANIFESTS.resolve("kube-apiserver.yaml")), "nothing to wait for");
    }
}
