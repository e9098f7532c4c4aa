package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdErrors;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What etcd refuses a join, for a moment or for good. */
class JoinRefusalsTest extends JoinScene {

    private static final RejoinOptions TAKEOVER =
            new RejoinOptions(true, false, false, false, false, Optional.empty());

    private void within(Duration limit) {
        assertTrue(bench.elapsed().compareTo(limit) < 0, bench.elapsed()::toString);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NEEDS_HUMAN", "FORBIDDEN"})
    void anAddThatIsRefusedForGoodEndsTheJoinAtOnce(Fault fault) {
        cluster.next(fault);
        Problem failed = failed(FailReason.ADD_REFUSED);
        assertTrue(
                failed.what().startsWith("etcd refuses the member: etcdserver: "), failed.what());
        assertEquals(Set.of("cp-1", "cp-2", "cp-3"), named(failed.why()));
        assertEquals(List.of("addLearner"), verbs());
        within(Duration.ofSeconds(5));
        assertInstanceOf(RollbackOutcome.NothingListed.class, bench.rollBack().outcome());
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NEEDS_HUMAN", "FORBIDDEN"})
    void aPromotionThatIsRefusedForGoodEndsTheJoinAtOnce(Fault fault) {
        bench.start(unstarted());
        cluster.next(fault);
        failed(FailReason.PROMOTION_REFUSED);
        assertEquals(List.of("addLearner", "promote"), verbs());
        within(Duration.ofSeconds(5));
        assertInstanceOf(
                RollbackOutcome.Removed.class,
                bench.rollBack().outcome(),
                "that was no word about the removal");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NEEDS_HUMAN", "FORBIDDEN"})
    void aRemovalThatIsRefusedForGoodEndsTheJoinAtOnce(Fault fault) {
        MemberId other = cluster.plant(peerUrl("cp-4"), true);
        bench.options = TAKEOVER;
        cluster.next(fault);
        Problem failed = failed(FailReason.REMOVAL_REFUSED);
        assertTrue(failed.what().contains(other.toString()), failed.what());
        assertEquals(List.of("remove"), verbs());
        within(Duration.ofSeconds(5));
    }

    @Test
    void aRemovalThatIsRefusedForAMomentIsTriedAgain() {
        cluster.plant(peerUrl("cp-4"), true);
        bench.options = TAKEOVER;
        cluster.next(Fault.UNHEALTHY, Fault.NO_LEADER);
        joined();
        assertEquals(List.of("remove", "remove", "remove", "addLearner", "promote"), verbs());
    }

    @Test
    void aRemovalThatIsRefusedAgainAndAgainEndsTheJoinAfterTheLimitOfAFault() {
        cluster.plant(peerUrl("cp-4"), true);
        bench.options = TAKEOVER;
        Fault[] always = new Fault[1000];
        Arrays.fill(always, Fault.UNHEALTHY);
        cluster.next(always);
        Problem failed = failed(FailReason.REMOVAL_REFUSED);
        assertTrue(failed.why().contains(EtcdErrors.UNHEALTHY), failed.why());
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) >= 0);
        within(Duration.ofMinutes(3));
    }

    @Test
    void listsThatAreRefusedForGoodEndTheJoinAtOnce() {
        cluster.refuseLists(RpcCode.PERMISSION_DENIED, "etcdserver: permission denied");
        refused(FailReason.ACCESS_REFUSED);
        bench = new JoinBench(SimulatedCluster.ofVoters(3), "cp-4");
        bench.cluster.refuseLists(RpcCode.DATA_LOSS, "etcdserver: corrupt cluster");
        refused(FailReason.ACCESS_REFUSED);
    }

    @Test
    void aFullLearnerListIsATurnToWaitForAndNoFault() {
        Fault[] first = new Fault[119];
        Arrays.fill(first, Fault.UNHEALTHY);
        cluster.next(first);
        cluster.maxLearners(0);
        while (bench.elapsed().compareTo(Duration.ofMinutes(10)) < 0) {
            JoinStep.Waiting waiting = assertInstanceOf(JoinStep.Waiting.class, bench.go());
            bench.pass(waiting.pause());
        }
        cluster.maxLearners(1);
        joined();
    }

    @Test
    void aFaultThatPassesAndComesBackHasItsLimitAnew() {
        cluster.silent(cluster.leader());
        for (int i = 0; i < 100; i++) {
            waits(WaitReason.NO_LEADER);
            bench.pass(Duration.ofSeconds(1));
        }
        MemberId other = cluster.plant(peerUrl("cp-9"), true);
        cluster.moveLeader(cluster.id("cp-1"), cluster.id("cp-2"));
        waits(WaitReason.TOO_MANY_LEARNERS);
        cluster.removeByOther(other);
        cluster.silent(cluster.id("cp-2"));
        for (int i = 0; i < 100; i++) {
            waits(WaitReason.UNHEALTHY);
            bench.pass(Duration.ofSeconds(1));
        }
        failed(FailReason.NOT_ACCEPTED);
    }

    @Test
    void membersThatNameNoCommonLeaderAndALostQuorumAreToldApart() {
        cluster.silent(cluster.leader());
        assertEquals(
                "the members do not agree on a leader",
                waits(WaitReason.NO_LEADER).detail());
        cluster.silent(cluster.id("cp-2"));
        String detail = waits(WaitReason.UNHEALTHY).detail();
        assertEquals(Set.of("cp-1", "cp-2"), named(detail));
        assertEquals(List.of(), verbs());
    }

    @Test
    void anAddThatSomeServerTakesForAVotersEndsTheJoin() {
        cluster.version(cluster.id("cp-1"), "3.3.27");
        cluster.moveLeader(cluster.id("cp-1"), cluster.id("cp-2"));
        cluster.silent(cluster.id("cp-1"));
        failed(FailReason.ADDED_AS_VOTER);
        assertEquals(List.of(), bench.node.manifests);
        Problem kept = assertInstanceOf(
                        RollbackOutcome.Kept.class, bench.rollBack().outcome())
                .problem();
        assertEquals("it is a voter although this node has not promoted it", kept.why());
        assertEquals(4, cluster.members().size(), "removing a voter is for an operator to decide");
    }

    @Test
    void aVoterOfAnEarlierRunIsStartedAsSomebodyElseMayHavePromotedIt() {
        for (JoinState state : List.of(JoinState.MANIFEST, JoinState.STARTED)) {
            SimulatedCluster three = SimulatedCluster.ofVoters(3);
            bench = new JoinBench(three, "cp-4");
            bench.noted(state, three.plant(peerUrl("cp-4"), false));
            bench.node.life = LocalMemberHealth.ALIVE;
            if (state == JoinState.STARTED) {
                bench.start(bench.own().id());
            }
            joined();
        }
        bench = new JoinBench(SimulatedCluster.ofVoters(3), "cp-4");
        bench.start(bench.cluster.plant(peerUrl("cp-4"), false));
        bench.noted(JoinState.ADDED, bench.own().id());
        joined();
    }

    @Test
    void aMemberThatWasRemovedAfterItVotedIsNotJoinedAnewByItself() {
        bench.noted(JoinState.PROMOTED, new MemberId(0x77));
        assertEquals(
                new Problem(
                        FailReason.REMOVED,
                        "etcd member 77 was removed by another program or operator",
                        "it is no longer in the member list",
                        "find out who removed it; then run 'kjadm reset' on this node, and join again"),
                failed(FailReason.REMOVED));
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(8)) >= 0);
        assertEquals(List.of(), verbs());
    }

    /** The first command that an advice names. */
    private static String command(String advice) {
        return advice.split("'")[1];
    }

    /** Without Kubernetes there is neither a node to be reset nor a folder of its own. */
    @Test
    void adviceIsThatOfTheMachineThatJoins() {
        bench.place = JoinPlace.OWN_ETCD;
        bench.noted(JoinState.PROMOTED, new MemberId(0x77));
        assertEquals("kjadm etcd reset", command(failed(FailReason.REMOVED).next()));

        bench = new JoinBench(SimulatedCluster.ofVoters(3), "cp-4");
        bench.place = JoinPlace.OWN_ETCD;
        bench.node.localDataDir = LocalDataDir.SOME_DATA;
        assertEquals("kjadm etcd reset", command(failed(FailReason.FOREIGN_DATA).next()));

        bench = new JoinBench(SimulatedCluster.ofVoters(3), "cp-4");
        bench.place = JoinPlace.OWN_ETCD;
        bench.journal.write(JoinEntry.prepared(
                        new NewMember("other", peerUrl("cp-4")),
                        "earlier",
                        "c1",
                        List.of(),
                        bench.now)
                .member(new MemberId(0x77), JoinState.STARTED, 0, bench.now));
        assertEquals("kjadm etcd reset", command(failed(FailReason.OTHER_MEMBER).next()));
    }

    /** No command of the machine where this runs helps, as it has no part in that member. */
    @Test
    void adviceForAMemberElsewhereIsToClearItsMachine() {
        String there = "stop its etcd there and empty its data directory";
        bench.place = JoinPlace.ANOTHER_MACHINE;
        bench.noted(JoinState.PROMOTED, new MemberId(0x77));
        assertEquals(
                "find out who removed it; then " + there + ", and join again",
                failed(FailReason.REMOVED).next());

        bench = new JoinBench(SimulatedCluster.ofVoters(3), "cp-4");
        bench.place = JoinPlace.ANOTHER_MACHINE;
        bench.journal.write(
                JoinEntry.prepared(bench.wanted, "earlier", "feedbeef", List.of(), bench.now)
                        .member(new MemberId(0x77), JoinState.STARTED, 0, bench.now));
        assertEquals(
                "run the join of that cluster again, or first " + there,
                failed(FailReason.OTHER_CLUSTER).next());
    }

    /** It is only believed to be there, since an earlier run had added the member. */
    @Test
    void dataElsewhereThatNoMemberHasAreInNobodysWay() {
        bench.place = JoinPlace.ANOTHER_MACHINE;
        bench.node.localDataDir = LocalDataDir.SOME_DATA;
        joined();
        assertEquals(List.of("addLearner", "promote"), verbs());
    }

    @Test
    void aJournalOfAnotherNameIsRefused() {
        bench.journal.write(JoinEntry.prepared(
                        new NewMember("other", peerUrl("cp-4")),
                        "earlier",
                        "c1",
                        List.of(),
                        bench.now)
                .member(new MemberId(0x77), JoinState.STARTED, 0, bench.now));
        assertEquals(
                "an unfinished join of this node is for etcd member other at https://cp-4:2380",
                refused(FailReason.OTHER_MEMBER).what());
    }

    @Test
    void aJournalIsNotCalledAnotherClustersWhileNobodySaysWhichThisIs() {
        bench.noted(JoinState.STARTED, cluster.plant(peerUrl("cp-4"), true));
        bench.node.life = LocalMemberHealth.ALIVE;
        cluster.members().forEach(member -> cluster.silent(member.id()));
        waits(WaitReason.CATCHING_UP);
    }
}
