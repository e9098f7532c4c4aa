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

/** The last look at a member that votes. */
class VotingTest extends JoinScene {

    @Test
    void voterThatDoesNotAnswerIsNotCalledWell() {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        cluster.stop(id);
        var failed = failed();
        assertTrue(failed.what().contains("is a voter but unhealthy"), failed.what());
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
        failed();
        Duration before = bench.elapsed();
        assertInstanceOf(RollbackOutcome.Votes.class, bench.rollBack().outcome());
        assertEquals(before, bench.elapsed(), "there is nothing to wait for");
    }

    /** Promoted, with something amiss that the post-check must not pass over. */
    private Problem votesAnd(Runnable fault) {
        MemberId id = unstarted();
        bench.start(id);
        cluster.promoteByOther(id);
        fault.run();
        Problem failed = failed();
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
                () -> bench.node.notReadyReason = "http://127.0.0.1:2381/readyz answers 503");
        assertTrue(failed.why().contains("readyz answers 503"), failed.why());
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
        var failed = votesAnd(() -> cluster.alarm("NOSPACE"));
        assertTrue(failed.why().contains("NOSPACE"), failed.why());
    }

    @Test
    void anotherVoterThatIsDownAfterThePromotionIsNamed() {
        var failed = votesAnd(() -> cluster.stop(cluster.id("cp-2")));
        assertTrue(
                failed.what().contains("is a voter, but not every other voter is healthy"),
                failed.what());
        assertTrue(
                failed.why().contains("of 4 voters only 3 are healthy")
                        && failed.why().contains("cp-2"),
                failed.why());
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
        assertTrue(
                done.message().contains("cp-3")
                        && done.message().contains("was removed")
                        && done.message().contains("cp-9")
                        && done.message().contains("was added"),
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
        var failed = failed();
        assertTrue(
                failed.next().contains("get etcd to run on cp-1 and on this node")
                        && failed.next().contains("nothing is lost")
                        && failed.next().contains("restore a snapshot"),
                failed.next());
        assertTrue(
                bench.elapsed().compareTo(Duration.ofSeconds(70)) < 0, bench.elapsed()::toString);
        one.start(one.id("cp-1"), "cp-1");
        bench.node.notReadyReason = "";
        bench.rerun();
        joined();
    }
}
