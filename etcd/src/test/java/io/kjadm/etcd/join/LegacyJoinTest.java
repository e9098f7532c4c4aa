package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A member added as a voter at once. */
class LegacyJoinTest {

    private static JoinBench bench(SimulatedCluster cluster, String name) {
        JoinBench bench = new JoinBench(cluster, name);
        bench.adder = new LegacyVotingMemberAdder();
        return bench;
    }

    @Test
    void voterIsAddedAndDoneWhenStarted() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(2), "cp-3");
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertEquals(List.of("addVoter https://cp-3:2380"), bench.cluster.changes());
    }

    @Test
    void secondVoterIsStartedThoughNobodyListsMembersUntilItRuns() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(1), "cp-2");
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertEquals(2, bench.node.manifests.getFirst().size());
        assertTrue(bench.cluster.writable());
    }

    @Test
    void noListIsAskedForBetweenTheAddOfASecondVoterAndItsManifest() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(1), "cp-2");
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertEquals(0, bench.node.listsBeforeManifest);
    }

    @Test
    void theListIsAskedForWhereTheOthersServeWithoutIt() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(2), "cp-3");
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertTrue(bench.node.listsBeforeManifest > 0);
    }

    @Test
    void aManifestIsWrittenOnceThoughNobodyListsMembers() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(1), "cp-2");
        bench.node.kubelet = false;
        var waiting = assertInstanceOf(JoinStep.Waiting.class, bench.go());
        assertEquals(WaitReason.STARTING, waiting.reason());
        bench.pass(Duration.ofSeconds(1));
        bench.go();
        assertEquals(1, bench.node.manifests.size());
    }

    @Test
    void aSecondVoterThatStandsStillIsGivenUpThoughNobodyListsMembers() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(1), "cp-2");
        bench.node.kubelet = false;
        bench.go();
        bench.node.life = LocalMemberHealth.ALIVE;
        Problem failed = JoinScene.failed(FailReason.STALLED, bench.finish());
        assertTrue(
                failed.next().startsWith("check that https://cp-2:2380 can be reached"),
                failed.next());
    }

    @Test
    void aVoterThatVotesIsNotStartedAnewWhileNobodyListsMembers() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(1), "cp-2");
        MemberId id = bench.cluster.plant(peerUrl("cp-2"), false);
        bench.start(id);
        bench.noted(JoinState.PROMOTED, id);
        bench.cluster.failLists(100_000);
        JoinScene.failed(FailReason.MEMBERS_UNREADABLE, bench.finish());
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) >= 0);
        assertEquals(List.of(), bench.node.manifests);
    }

    @Test
    void aVoterOnItsFirstStartHasTheTimeOfAFaultToBeWell() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(2), "cp-3");
        bench.node.notReadyReason = "not yet";
        JoinScene.failed(FailReason.UNHEALTHY, bench.finish());
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) >= 0);
    }

    @Test
    void aVoterThatWasAddedStaysForAnOperatorToRemove() {
        SimulatedCluster two = SimulatedCluster.ofVoters(2);
        for (JoinState state : List.of(JoinState.MANIFEST, JoinState.PROMOTING)) {
            JoinBench bench = bench(two, "cp-3");
            bench.noted(
                    state,
                    two.members().size() == 2
                            ? two.plant(peerUrl("cp-3"), false)
                            : bench.own().id());
            Problem kept = assertInstanceOf(
                            RollbackOutcome.Kept.class, bench.rollBack().outcome())
                    .problem();
            assertTrue(kept.why().startsWith("it was added as a voter"), kept.why());
        }
        JoinBench bench = bench(two, "cp-3");
        bench.noted(JoinState.PROMOTED, bench.own().id());
        assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
    }

    @Test
    void worksWithEtcd33() {
        assertInstanceOf(
                JoinStep.Joined.class,
                bench(SimulatedCluster.ofVoters(1, "3.3.25"), "cp-2").finish());
    }

    @Test
    void silentVoterIsWaitedForAsEveryVoteCounts() {
        SimulatedCluster three = SimulatedCluster.ofVoters(3);
        three.stop(three.id("cp-3"));
        var waiting =
                assertInstanceOf(JoinStep.Waiting.class, bench(three, "cp-4").go());
        assertEquals(WaitReason.UNHEALTHY, waiting.reason());
        assertEquals(List.of(), three.changes());
    }

    @Test
    void rerunFindsItsOwnUnstartedVoter() {
        SimulatedCluster four = SimulatedCluster.ofVoters(3);
        JoinBench bench = bench(four, "cp-4");
        MemberId earlier = four.plant(peerUrl("cp-4"), false);
        bench.noted(JoinState.ADDED, earlier);
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertEquals(List.of(), four.changes());
    }

    @Test
    void secondVoterWhoseAddWasAppliedWithoutAReplyIsStarted() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(1).next(Fault.REPLY_LOST), "cp-2");
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(1)) < 0, "" + bench.elapsed());
        assertEquals(List.of("addVoter https://cp-2:2380"), bench.cluster.changes());
        assertTrue(bench.cluster.writable());
    }

    @Test
    void secondVoterOfARunThatDiedWhileItAddedItIsStarted() {
        SimulatedCluster one = SimulatedCluster.ofVoters(1);
        JoinBench bench = bench(one, "cp-2");
        List<Member> before = one.members();
        one.addVoter(peerUrl("cp-2"));
        assertFalse(one.writable());
        bench.journal.write(new JoinEntry(
                JoinState.ADDING,
                "earlier",
                "c1",
                "cp-2",
                peerUrl("cp-2"),
                bench.now,
                before,
                Optional.empty(),
                Optional.empty(),
                0,
                false));
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertEquals(List.of("addVoter https://cp-2:2380"), one.changes(), "once, by that run");
        assertTrue(one.writable());
    }

    @Test
    void secondVoterWhoseAddIsNotAppliedIsAddedAgain() {
        JoinBench bench = bench(SimulatedCluster.ofVoters(1).next(Fault.REQUEST_LOST), "cp-2");
        assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertTrue(bench.cluster.writable());
    }

    @Test
    void learnerOfARunWithLearnersOnIsRefused() {
        SimulatedCluster two = SimulatedCluster.ofVoters(2);
        JoinBench bench = bench(two, "cp-3");
        bench.noted(JoinState.ADDED, two.plant(peerUrl("cp-3"), true));
        assertEquals(
                FailReason.LISTED_AS_LEARNER,
                assertInstanceOf(JoinStep.Failed.class, bench.finish()).reason());
        assertEquals(List.of(), bench.node.manifests);
    }

    /**
     * What a join that goes wrong costs: with learners the others go on writing, the voting twin
     * shows what is lost.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void votersAddedDirectlyAndNeverStartedCostTheWrites(int voters) {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(voters);
        JoinBench bench = bench(cluster, "new");
        bench.node.kubelet = false;
        bench.go();
        // four voters of which one never starts stand no further failure, two stand none at all
        if (voters > 1) {
            assertTrue(cluster.writable());
            cluster.stop(cluster.id("cp-1"));
        }
        assertFalse(cluster.writable());
        assertEquals(
                FailReason.NO_START,
                assertInstanceOf(JoinStep.Failed.class, bench.finish()).reason());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
        // nor can anybody take the member back: that needs the quorum it cost
        assertInstanceOf(RollbackOutcome.Kept.class, bench.rollBack().outcome());
    }
}
