package io.kjadm.etcd.join;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Set;

/** The last look at a member that votes. */
class VotingTest extends JoinScene {

    @Test
    void voterThatDoesNotAnswerIsNotCalledWell() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        cluster.stop(id);
        failed(FailReason.UNHEALTHY);
        assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
        assertEquals(4, cluster.members().size());
        bench.start(id);
        bench.rerun();
        joined();
    }

    @Test
    void whatVotesIsNotTakenBackThoughNobodyTellsAnyMore() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        bench.node.notReadyReason = "http://127.0.0.1:2381/readyz answers 503";
        waits(WaitReason.SETTLING);
        cluster.members().forEach(member -> cluster.stop(member.id()));
        failed(FailReason.MEMBERS_UNREADABLE);
        Duration before = bench.elapsed();
        assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
        assertEquals(before, bench.elapsed(), "there is nothing to wait for");
    }

    /** Promoted, with something amiss that the post-check must not pass over. */
    private Problem votesAnd(FailReason reason, Runnable fault) {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        fault.run();
        Problem failed = failed(reason);
        Duration took = bench.elapsed();
        assertTrue(
                took.compareTo(Duration.ofSeconds(60)) >= 0
                        && took.compareTo(Duration.ofSeconds(70)) < 0,
                took::toString);
        assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
        return failed;
    }

    @Test
    void aVoterThatDoesNotCallItselfReadyIsNotCalledWell() {
        var failed = votesAnd(
                FailReason.UNHEALTHY,
                () -> bench.node.notReadyReason = "http://127.0.0.1:2381/readyz answers 503");
        assertEquals("it is not ready: http://127.0.0.1:2381/readyz answers 503", failed.why());
        bench.node.notReadyReason = "";
        bench.rerun();
        joined();
    }

    @Test
    void whatIsMissingToAVoterIsTold() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        bench.node.notReadyReason = "http://127.0.0.1:2381/readyz answers 503";
        String detail = waits(WaitReason.SETTLING).detail();
        assertEquals(
                "the member is a voter; it is not ready: http://127.0.0.1:2381/readyz answers 503",
                detail);
    }

    @Test
    void aVoterThatReportsAnAlarmIsNotCalledWell() {
        var failed = votesAnd(FailReason.UNHEALTHY, () -> cluster.alarm("NOSPACE"));
        assertEquals(
                "it reports memberID:40961 alarm:NOSPACE, memberID:40962 alarm:NOSPACE, memberID:40963 alarm:NOSPACE, memberID:40964 alarm:NOSPACE",
                failed.why());
    }

    @Test
    void anotherVoterThatIsDownAfterThePromotionIsNamed() {
        var failed = votesAnd(FailReason.OTHERS_UNHEALTHY, () -> cluster.stop(cluster.id("cp-2")));
        assertTrue(failed.why().startsWith("of 4 voters only 3 are healthy"), failed.why());
        assertEquals(Set.of("cp-2"), named(failed.why()));
        bench.rerun();
        bench.options = DEGRADED;
        joined();
    }

    @Test
    void changesOfOthersDuringTheJoinAreToldAndNoFailure() {
        MemberId id = unstarted();
        MemberId other = cluster.plant(peerUrl("cp-9"), false);
        cluster.start(other, "cp-9");
        cluster.removeByOther(cluster.id("cp-3"));
        bench.start(id);
        var done = assertInstanceOf(JoinStep.Joined.class, bench.finish());
        assertEquals(
                "the members of etcd were changed by another program or operator during the join: a003 cp-3 (voter, https://cp-3:2380) was removed; a005 cp-9 (voter, https://cp-9:2380) was added",
                done.message());
    }

    @Test
    void anUndisturbedJoinTellsNothingOfOthers() {
        assertEquals("", assertInstanceOf(JoinStep.Joined.class, bench.finish()).message());
    }

    @Test
    void ofTwoVotersTheLossOfTheOldOneIsExplained() {
        SimulatedCluster one = SimulatedCluster.ofVoters(1);
        bench = new JoinBench(one, "cp-2");
        MemberId id = unstarted();
        bench.start(id);
        one.promoteByOther(id);
        bench.node.notReadyReason = "not yet";
        waits(WaitReason.SETTLING);
        one.stop(one.id("cp-1"));
        var failed = failed(FailReason.MEMBERS_UNREADABLE);
        assertEquals(
                "two voters need each other: get etcd to run on cp-1 and on this node, then run the same command again; nothing is lost. If one of the disks is gone for good, restore a snapshot",
                failed.next());
        assertTrue(
                bench.elapsed().compareTo(Duration.ofSeconds(70)) < 0, bench.elapsed()::toString);
        one.start(one.id("cp-1"), "cp-1");
        bench.node.notReadyReason = "";
        bench.rerun();
        joined();
    }
}
