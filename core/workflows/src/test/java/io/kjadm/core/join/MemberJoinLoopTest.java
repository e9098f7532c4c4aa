package io.kjadm.core.join;

import static io.kjadm.core.join.JoinLab.MANIFESTS;
import static io.kjadm.core.join.JoinLab.PEER;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.lock.VirtualBackground;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a join tells, to the operator and to those who wait for their turn. */
class MemberJoinLoopTest extends EtcdJoinScene {

    private static final String AWAITED =
            "[etcd] Waiting for this node's etcd member to start, catch up and become a voter";

    private List<String> told() {
        return lab.out.lines().stream()
                .filter(line -> line.startsWith("[etcd]"))
                .map(line -> line.replaceAll("etcd member (?!to )\\w+ ", "etcd member ID "))
                .toList();
    }

    private Optional<LockRecord> holder() {
        return lab.api.objects().stream()
                .filter(Lease.class::isInstance)
                .map(Lease.class::cast)
                .findFirst()
                .flatMap(LockRecord::of);
    }

    private long lockWrites() {
        return lab.api.writes().stream()
                .filter(call -> call.endsWith(" Lease kube-system/kjadm-etcd-membership"))
                .count();
    }

    @Test
    void aJoinTellsEachStepOnce() {
        lab.phases(prepared(), "etcd-join");
        assertEquals(
                List.of(
                        "[etcd] added etcd member ID (learner not started, %s) to the cluster"
                                .formatted(PEER),
                        AWAITED,
                        "[etcd] etcd member ID cp-2 (voter, %s) votes".formatted(PEER)),
                told());
        assertEquals(2, lockWrites(), "taken once, and given back");
        assertEquals(Optional.empty(), holder());
        assertEquals(List.of(), lab.out.warnings());
    }

    @Test
    void aMemberThatVotesIsNotWaitedFor() {
        JoinRun run = lab.phases(prepared(), "etcd-join");
        List<String> before = told();
        lab.phases(run, "etcd-join");
        assertEquals(
                List.of(
                        "[etcd] resuming the join of etcd member ID cp-2 (voter, %s)"
                                .formatted(PEER),
                        before.getLast()),
                told().subList(before.size(), told().size()));
    }

    @Test
    void aDryRunWaitsForNothing() {
        JoinRun run = prepared();
        lab.dryWorkflow().run(run, Selection.only("etcd-join"), lab.out);
        assertEquals(AWAITED, told().getLast(), "no voter responds");
        assertEquals(List.of(), verbs());
    }

    @Test
    void aDryRunThatOthersGoBeforeSaysOnlyThat() {
        lab.etcd.start(lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), true), "cp-9");
        lab.dryWorkflow().run(prepared(), Selection.only("etcd-join"), lab.out);
        assertFalse(told().contains(AWAITED), told().toString());
        assertEquals(List.of(), verbs());
    }

    @Test
    void membersThatComeDuringTheJoinAreAWarning() {
        JoinRun run = prepared();
        boolean[] come = {false};
        lab.waiter.eachTime(() -> {
            if (!come[0] && lab.own().isPresent()) {
                come[0] = true;
                MemberId other = lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), false);
                lab.etcd.start(other, "cp-9");
            }
        });
        lab.phases(run, "etcd-join");
        assertVoter();
        assertEquals(
                List.of("the members of etcd were changed by another program or operator"
                        + " during the join: a003 cp-9 (voter, https://cp-9:2380) was added"),
                lab.out.warnings());
    }

    @Test
    void nothingIsAwaitedBeforeItIsAdded() {
        lab.kubeletAnswers = false;
        lab.runner.answering("systemctl is-active kubelet", "active");
        lab.waiter.after(Duration.ofSeconds(7), () -> lab.kubeletAnswers = true);
        lab.phases(prepared(), "etcd-join");
        assertTrue(told().getFirst().startsWith("[etcd] added"), told().toString());
    }

    @Test
    void whileOthersGoFirstItOnlyLooks() {
        JoinRun run = prepared();
        MemberId other = lab.etcd.plant(SimulatedCluster.peerUrl("cp-9"), true);
        lab.etcd.start(other, "cp-9");
        lab.waiter.after(Duration.ofMinutes(5), () -> {
            assertEquals(2, lockWrites(), "taken for the first look, and given back");
            lab.etcd.promoteByOther(other);
        });
        lab.phases(run, "etcd-join");
        assertVoter();
        assertEquals(4, lockWrites());
    }

    @Test
    void whoWaitsForTheTurnReadsHowFarItIs() {
        lab.background = new VirtualBackground(lab.waiter);
        JoinRun run = prepared();
        List<String> progress = new ArrayList<>();
        lab.waiter.eachTime(() -> {
            lab.own()
                    .filter(Member::started)
                    .ifPresent(member -> lab.etcd.lag(
                            member.id(),
                            lab.waiter.elapsed().compareTo(Duration.ofSeconds(45)) < 0 ? 50 : 0));
            holder().ifPresent(record -> progress.add(
                    record.work().member().isPresent() + " " + record.work().progress()));
        });
        lab.phases(run, "etcd-join");
        assertTrue(progress.getFirst().equals("false beginning"), progress.toString());
        assertEquals("true the member is catching up, 50 % (entry 51 of 101)", progress.getLast());
    }

    @Test
    void aFailedJoinSaysWhyItIsTakenBackAndIsNotAStoppedOne() {
        lab.failpoints = Failpoints.from(Map.of("KJADM_FAILPOINT", "STARTED:before=error"));
        refused();
        assertFalse(Thread.interrupted());
        assertEquals(
                "[etcd] The join failed (failpoint STARTED before: KJADM_FAILPOINT asks for it;"
                        + " unset KJADM_FAILPOINT): rolling back the etcd member",
                told().getLast());
    }

    /** Throws when the member is listed, once. */
    private ClusterException failingWith(RuntimeException failure) {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        boolean[] thrown = {false};
        lab.waiter.eachTime(() -> {
            if (lab.own().isPresent() && !thrown[0]) {
                thrown[0] = true;
                throw failure;
            }
        });
        PhaseFailure told = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        return assertInstanceOf(ClusterException.class, told.getCause());
    }

    @Test
    void aFaultOfTheMachineIsToldWithWhatBecameOfTheMember() {
        HostException gone = new HostException("the disk is gone", "it said so", "buy another");
        ClusterException told = failingWith(gone);
        assertEquals("the etcd member could not join", told.what());
        assertTrue(told.why().contains(gone.what()), told.why());
        assertEquals("see etcd's log on this node; then run the same command again", told.next());
    }

    @Test
    void aStoppedJoinIsCalledSo() {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        boolean[] asked = {false};
        lab.waiter.eachTime(() -> {
            if (lab.own().isPresent() && !asked[0]) {
                asked[0] = true;
                Thread.currentThread().interrupt();
                throw new ClusterException("interrupted", "the program was asked to stop", "");
            }
        });
        assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        assertTrue(Thread.interrupted());
    }

    @Test
    void whatIsTakenBackIsWaitedForWhileTheClusterCannotRemoveIt() {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        boolean[] failed = {false};
        lab.waiter.eachTime(() -> {
            if (!failed[0] && lab.own().isPresent()) {
                failed[0] = true;
                lab.etcd.failLists(3);
                throw new ClusterException("the member does not start", "no reason", "look");
            }
        });
        PhaseFailure told = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        assertInstanceOf(ClusterException.class, told.getCause());
        assertTakenBack();
    }

    @Test
    void whatCannotBeLookedAtAnyMoreIsNotCalledTakenBack() {
        lab.kubeletWorks = false;
        JoinRun run = prepared();
        boolean[] failed = {false};
        lab.etcd.beforeList(() -> {
            if (failed[0]) {
                throw new IllegalStateException("no list");
            }
        });
        lab.waiter.eachTime(() -> {
            if (!failed[0] && lab.own().isPresent()) {
                failed[0] = true;
                throw new ClusterException("the member does not start", "no reason", "look");
            }
        });
        PhaseFailure told = assertThrows(PhaseFailure.class, () -> lab.phases(run, "etcd-join"));
        assertInstanceOf(ClusterException.class, told.getCause());
        assertTrue(lab.files.exists(MANIFESTS.resolve("etcd.yaml")), "nothing is guessed");
    }
}
