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

import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.Failpoints;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;
import io.kjadm.etcd.check.PeerContact;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.JoinState;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.manifests.ManifestYaml;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The phase that brings this node's member into a stacked etcd. */
class EtcdJoinTest {

    private JoinLab lab = new JoinLab();

    private JoinRun prepared() {
        return lab.phases(lab.start(), "control-plane-prepare");
    }

    private void join() {
        lab.phases(prepared(), "etcd-join");
    }

    private ClusterException refused() {
        JoinRun run = prepared();
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        return assertInstanceOf(ClusterException.class, failure.getCause());
    }

    private void assertVoter() {
        assertTrue(lab.own().orElseThrow().voter());
        assertFalse(lab.files.exists(NOTE), "a join that is done needs no note");
        assertTrue(lab.etcd.writable());
    }

    private void assertTakenBack() {
        assertTrue(lab.own().isEmpty(), lab.etcd.members().toString());
        assertFalse(lab.files.exists(MANIFESTS.resolve("etcd.yaml")));
        assertFalse(lab.files.exists(NOTE));
        assertTrue(lab.etcd.writable());
    }

    private String initialCluster() {
        Map<String, Object> pod =
                ManifestYaml.readObject(lab.files.text("/etc/kubernetes/manifests/etcd.yaml"));
        Map<?, ?> spec = (Map<?, ?>) pod.get("spec");
        List<?> command = (List<?>) ((Map<?, ?>) ((List<?>) spec.get("containers")).getFirst())
                .get("command");
        return command.stream().map(String::valueOf)
                .filter(word -> word.startsWith("--initial-cluster="))
                .findFirst().orElseThrow().substring("--initial-cluster=".length());
    }

    private static String verb(String change) {
        return change.substring(0, change.indexOf(' '));
    }

    private List<String> verbs() {
        return lab.etcd.changes().stream().map(EtcdJoinTest::verb).toList();
    }

    @Test
    void aLearnerIsAddedStartedAndPromoted() {
        join();
        assertVoter();
        assertEquals(List.of("addLearner", "promote"), verbs());
        assertEquals("cp-1=https://cp-1:2380,cp-2=" + PEER, initialCluster());
    }

    @Test
    void theApiServerStartsOnlyWhenItsEtcdVotes() {
        JoinRun run = prepared();
        Path manifest = MANIFESTS.resolve("kube-apiserver.yaml");
        assertFalse(lab.files.exists(manifest));
        lab.waiter.eachTime(() -> assertEquals(lab.own().isPresent() && lab.own().get().voter(),
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
        assertTrue(refused.getMessage().contains("member remove " + learner), refused.getMessage());
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
        assertEquals("cp-1=https://cp-1:2380,cp-9=https://cp-9:2380,cp-2=" + PEER,
                initialCluster());
    }

    @Test
    void itsTurnHasALimitTooAndNothingIsLeftBehind() {
        lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), false);
        ClusterException refused = refused();
        assertTrue(refused.why().contains("no etcd member was left behind"), refused.why());
        assertTakenBack();
    }

    @Test
    void anEtcdWithoutLearnersIsRefusedBeforeAnythingIsAdded() {
        lab.etcd = SimulatedCluster.ofVoters(1, "3.3.25");
        ClusterException refused = refused();
        assertEquals("etcd learner mode is not supported by this etcd version", refused.what());
        assertTrue(refused.why().contains("3.3.25"), refused.why());
        assertEquals(List.of(), verbs());
        assertTakenBack();
    }

    @Test
    void aMemberThatNeverStartsIsTakenBack() {
        lab.kubeletWorks = false;
        ClusterException refused = refused();
        assertTrue(refused.what().contains("does not start"), refused.what());
        assertTrue(refused.why().contains("was removed again"), refused.why());
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofMinutes(3)) < 0,
                () -> "nothing ran, but it was waited for " + lab.waiter.elapsed());
        assertEquals(List.of("addLearner", "remove"), verbs());
        assertTakenBack();
    }

    @Test
    void aMemberThatNeverCatchesUpIsTakenBackAndItsDataSetAside() {
        lab.waiter.eachTime(() -> lab.own().filter(member -> member.started())
                .ifPresent(member -> lab.etcd.lag(member.id(), 50)));
        assertTrue(refused().why().contains("/var/lib/etcd.failed-"));
        assertEquals(List.of(), lab.files.list(DATA));
        assertTakenBack();
    }

    /**
     * A kubelet that has not reached an API server keeps the pod, and starts its container again
     * and again.
     */
    @Test
    void theKubeletForgetsTheMemberBeforeItsDataIsSetAside() {
        lab.kubeletWorks = false;
        lab.runner.answering("systemctl is-active kubelet", "active\n")
                .answering("systemctl start kubelet", "");
        boolean[] pod = {false};
        lab.waiter.eachTime(() -> {
            pod[0] |= lab.files.exists(MANIFESTS.resolve("etcd.yaml"));
            if (pod[0] && !lab.runner.commands().contains("systemctl stop kubelet")) {
                lab.files.with(DATA + "/member/snap/db",
                        "of a container that was started and died");
            }
        });
        assertTrue(refused().why().contains("/var/lib/etcd.failed-"));
        List<String> commands = lab.runner.commands();
        assertTrue(commands.indexOf("systemctl stop kubelet") < commands.indexOf(
                "systemctl start kubelet"),
                commands::toString);
        assertEquals(List.of(), lab.files.list(DATA));
        assertTakenBack();
    }

    @Test
    void aMemberThatSomebodyRemovedIsNotWaitedFor() {
        lab.kubeletWorks = false;
        lab.waiter.after(Duration.ofSeconds(3),
                () -> lab.etcd.removeByOther(lab.own().orElseThrow().id()));
        ClusterException refused = refused();
        assertTrue(refused.what().contains("removed by somebody else"), refused.what());
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofMinutes(1)) < 0);
        assertFalse(lab.files.exists(NOTE));
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
        assertTrue(refused().what().contains("data of a member that is not listed"));
        assertEquals(List.of(), verbs());
        assertTrue(lab.files.exists(DATA.resolve("member/wal/0.wal")), "it is not ours to move");
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
        assertTrue(refused.why().contains("is still listed"), refused.why());
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
                lab.failpoints =
                        Failpoints.from(Map.of("KJADM_FAILPOINT",
                                state + ":" + moment + "=exit137"), code -> {
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
    void aFaultOnThisNodeTakesTheLearnerBack() {
        lab.failpoints = Failpoints.from(Map.of("KJADM_FAILPOINT", "STARTED:before=error"));
        ClusterException refused = refused();
        assertTrue(refused.why().contains("failpoint STARTED before"), refused.why());
        assertTrue(refused.next().endsWith("run the same command again"), refused.next());
        assertTakenBack();
    }

    /** The program is asked to stop when the member is listed; what comes of it. */
    private ClusterException interruptedBy(RuntimeException failure) {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        boolean[] asked = {false};
        lab.waiter.eachTime(() -> {
            if (lab.own().isPresent() && !asked[0]) {
                asked[0] = true;
                Thread.currentThread().interrupt();
                throw failure;
            }
        });
        PhaseFailure told = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        assertTrue(Thread.interrupted(), "whoever asked it to stop is heard");
        return assertInstanceOf(ClusterException.class, told.getCause());
    }

    @Test
    void aJoinThatIsInterruptedTakesItsLearnerBackAndStaysInterrupted() {
        ClusterException told =
                interruptedBy(
                        new ClusterException("interrupted", "the program was asked to stop", ""));
        assertTrue(told.why().contains("was removed again"), told.why());
        assertEquals("run the same command again", told.next());
        assertTakenBack();
    }

    /** Not every call says that it was interrupted. */
    @Test
    void anInterruptionThatLooksLikeAnotherFaultIsToldAsOne() {
        ClusterException told = interruptedBy(
                new HostException("the container runtime did not answer",
                        "the program was asked to stop", "see why"));
        assertEquals("interrupted while the etcd member joined", told.what());
        assertEquals("run the same command again", told.next());
        assertTakenBack();
    }

    @Test
    void aContainerThatDiesOfSomethingHopelessIsFoundSoonWithItsLastWords() {
        lab.kubeletWorks = false;
        String log = "/var/log/pods/etcd/0.log";
        lab.files.with(log, """
                2026-02-03T04:05:06Z stderr F {"level":"info","msg":"starting"}
                2026-02-03T04:05:07Z stderr F {"level":"fatal","msg":"cannot save","error":"no space left on device"}
                """);
        lab.waiter.eachTime(() -> {
            if (lab.files.exists(JoinLab.MANIFESTS.resolve("etcd.yaml"))
                    && lab.runtime.containers.isEmpty()) {
                lab.runtime.containers.put("c",
                        new ContainerRuntime.Container("c", "s", "etcd", 0, false,
                        lab.waiter.now(), Map.of("io.kubernetes.pod.namespace", "kube-system")));
                lab.runtime.exits.put("c",
                        new ContainerRuntime.Exit(Optional.of(lab.waiter.now()), 1, "Error", "",
                                log));
            }
        });
        ClusterException refused = refused();
        assertTrue(refused.what().contains("its disk is full"), refused.what());
        assertTrue(refused.why().contains("no space left on device"), refused.why());
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofSeconds(10)) < 0,
                lab.waiter.elapsed()::toString);
        assertTakenBack();
    }

    @Test
    void anImageThatVanishedIsFoundBeforeAnythingIsAdded() {
        String image = "registry.k8s.io/etcd:3.6.8-0";
        lab.runtime.refusals.put(image, 5);
        ClusterException refused = refused();
        assertTrue(refused.what().startsWith("no etcd member was added: etcd's image " + image),
                refused.what());
        assertEquals(List.of(), verbs());
        assertTakenBack();
    }

    @Test
    void aKubeletThatDoesNotRunIsFoundBeforeAnythingIsAdded() {
        lab.kubeletAnswers = false;
        lab.runner.answering("systemctl is-active kubelet", "inactive");
        ClusterException refused = refused();
        assertEquals("no etcd member was added: the kubelet of this node does not run",
                refused.what());
        assertTrue(refused.next().contains("journalctl -xeu kubelet"), refused.next());
        assertEquals(List.of(), verbs());
        assertTakenBack();
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofSeconds(10)) < 0,
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

    private void waitsWhileThePeerPortSays(PeerContact contact) {
        JoinRun run = prepared();
        PeerContact good = lab.probes.contact;
        lab.probes.contact = contact;
        lab.waiter.after(Duration.ofMinutes(4), () -> {
            assertEquals(List.of("addLearner"), verbs());
            lab.probes.contact = good;
        });
        lab.phases(run, "etcd-join");
        assertVoter();
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofMinutes(4)) >= 0,
                lab.waiter.elapsed()::toString);
    }

    @Test
    void aLearnerIsNotPromotedBeforeThisNodeReachesThePeerPortsOfTheOthers() {
        waitsWhileThePeerPortSays(new PeerContact.Unreachable("cp-1:2380: connect timed out"));
    }

    @Test
    void norWhereTheyRefuseItsCertificate() {
        waitsWhileThePeerPortSays(new PeerContact.Refused("bad certificate"));
    }

    @Test
    void aLearnerThatIsNeverReachedIsTakenBackAndThePortIsNamed() {
        JoinRun run = prepared();
        lab.probes.contact = new PeerContact.Untrusted("no path", "CA other", "CA ours");
        PhaseFailure failure = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        String told = failure.getCause().getMessage();
        assertTrue(told.contains("this node does not reach port 2380 of")
                && told.contains("it shows CA other"), told);
        assertTakenBack();
    }

    /** Three voters, of which the third stops as soon as the new member is there. */
    private void aVoterStopsAfterTheAdd() {
        for (String name : List.of("cp-3", "cp-4")) {
            lab.etcd.start(lab.etcd.plant(SimulatedCluster.peerUrl(name), false), name);
        }
        lab.waiter.eachTime(() -> {
            if (lab.own().isPresent()) {
                lab.etcd.stop(lab.etcd.id("cp-3"));
            }
        });
    }

    @Test
    void aVoterThatStopsBeforeThePromotionIsWaitedForUntilTheLimit() {
        aVoterStopsAfterTheAdd();
        ClusterException refused = refused();
        assertTrue(refused.what().contains("was not promoted") && refused.why().contains("cp-3"),
                refused.getMessage());
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofMinutes(30)) >= 0,
                lab.waiter.elapsed()::toString);
        assertTakenBack();
    }

    @Test
    void allowDegradedPromotesBesideASilentVoterAndTellsWhatIsLeft() {
        aVoterStopsAfterTheAdd();
        JoinRun run = prepared();
        JoinOptions degraded = new JoinOptions(
                List.of(), false, new RejoinOptions(false, false, false, true, Optional.empty()),
                JoinLimits.DEFAULTS);
        lab.phases(new JoinRun(
                run.config(), degraded, run.startedAt(), run.discovered(), run.unfinished(),
                run.resumed()), "etcd-join");
        assertVoter();
        assertTrue(lab.out.lines().stream().anyMatch(line -> line.contains("no spare")),
                lab.out.lines()::toString);
    }

    @Test
    void aKeptLearnerIsGoneOnWithByTheSameCommand() {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        JoinOptions keep = new JoinOptions(
                List.of(), false, new RejoinOptions(false, false, true, false, Optional.empty()),
                JoinLimits.DEFAULTS);
        JoinRun keeping = new JoinRun(
                run.config(), keep, run.startedAt(), run.discovered(), run.unfinished(),
                run.resumed());
        PhaseFailure failure = assertThrows(PhaseFailure.class,
                () -> lab.phases(keeping, "etcd-join"));
        assertTrue(failure.getCause().getMessage().contains("stays, as was asked"),
                failure.getCause().getMessage());
        MemberId learner = lab.own().orElseThrow().id();
        assertTrue(lab.files.exists(NOTE));
        lab.kubeletWorks = true;
        lab.phases(run, "etcd-join");
        assertVoter();
        assertEquals(learner, lab.own().orElseThrow().id());
    }

    @Test
    void anExternalEtcdGetsNoMember() {
        lab = new JoinLab("etcd: {external: {endpoints: [\"http://10.0.0.1:2379\"]}}\n");
        join();
        assertEquals(List.of(), verbs());
        assertFalse(lab.files.exists(MANIFESTS.resolve("etcd.yaml")));
        assertTrue(lab.files.exists(MANIFESTS.resolve("kube-apiserver.yaml")),
                "nothing to wait for");
    }
}
