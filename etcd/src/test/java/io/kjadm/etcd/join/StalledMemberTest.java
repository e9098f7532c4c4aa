package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A member that does not start, or that stands still once it was added. */
class StalledMemberTest extends JoinScene {

    @Test
    void memberThatNeverShowsLifeIsGivenUpAfterTheLimitOfAFault() {
        unstarted();
        failed(FailReason.NO_START);
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
        assertInstanceOf(RollbackOutcome.Removed.class, bench.rollBack().outcome());
        assertEquals(3, cluster.members().size());
        assertEquals(1, bench.node.takenAway);
    }

    @Test
    void memberThatRunsAndDoesNotMoveIsGivenUpAfterTheStall() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.lag(id, 50_000);
        var failed = failed(FailReason.STALLED);
        assertEquals(
                "for 120 s neither its log nor its data has grown: the member is catching up, 50 % (entry 50101 of 100101); this node reaches the peer port of every other voter, so they may not reach port 2380 of this one",
                failed.why());
        assertTrue(bench.elapsed().compareTo(Duration.ofMinutes(3)) < 0);
    }

    @Test
    void whoIsCalledAboutAMemberThatStandsStillAreTheOtherVoters() {
        cluster.write(100_000);
        MemberId id = unstarted();
        bench.start(id);
        cluster.start(cluster.plant(SimulatedCluster.peerUrl("cp-5"), false), "cp-5");
        cluster.plant(SimulatedCluster.peerUrl("cp-6"), false);
        cluster.lag(id, 50_000);
        failed(FailReason.STALLED);
        assertEquals(
                List.of(List.of("cp-1", "cp-2", "cp-3", "cp-5")),
                bench.node.called.stream()
                        .map(called -> called.stream().map(Member::name).toList())
                        .toList());
    }

    @Test
    void anAilmentThatMayPassIsWaitedForAndToldInTheEnd() {
        unstarted();
        bench.node.life = new LocalMemberHealth(
                false,
                0,
                0,
                Optional.of(new StartProblem(
                        new Problem("its image is being pulled", "that takes a while", "wait"),
                        true)));
        var failed = failed(FailReason.NO_START);
        assertTrue(bench.elapsed().compareTo(JoinLimits.DEFAULTS.fault()) >= 0);
        assertTrue(
                failed.why().endsWith("; its image is being pulled: that takes a while"),
                failed.why());
    }

    @Test
    void containerThatDiesOfSomethingHopelessEndsTheJoinAtOnce() {
        unstarted();
        bench.node.life = new LocalMemberHealth(
                false,
                0,
                0,
                Optional.of(new StartProblem(
                        new Problem(
                                "a port it needs is in use",
                                "bind: address already in use",
                                "free the port"),
                        false)));
        var failed = failed(FailReason.START_FAILED);
        assertTrue(
                failed.what().endsWith(" does not start: a port it needs is in use"),
                failed.what());
        assertEquals("bind: address already in use", failed.why());
        assertEquals("free the port", failed.next());
        assertTrue(bench.elapsed().compareTo(Duration.ofSeconds(10)) < 0);
    }

    /** etcd says then that nobody answers, and names neither port nor direction. */
    @Test
    void aMemberThatDoesNotStartAndReachesNobodyIsToldWhichWayIsClosed() {
        unstarted();
        bench.node.unreached = Map.of(cluster.id("cp-1"), "connect timed out");
        bench.node.life = new LocalMemberHealth(
                false,
                0,
                0,
                Optional.of(new StartProblem(
                        new Problem(
                                "its container ended twice",
                                "could not retrieve cluster information",
                                "check that this node reaches their peer URLs"),
                        false)));
        var failed = failed(FailReason.START_FAILED);
        assertTrue(
                failed.why()
                        .startsWith(
                                "could not retrieve cluster information; this node does not reach port 2380 of"),
                failed.why());
        assertEquals(Set.of("cp-1"), named(failed.why()));
        assertEquals(
                "check that this node reaches their peer URLs; open port 2380 from this node to the others, and read etcd's log on this node",
                failed.next());
    }

    /** A member that runs and receives nothing. */
    private Problem stands() {
        unstarted();
        bench.node.life = LocalMemberHealth.ALIVE;
        return failed(FailReason.STALLED);
    }

    @Test
    void aMemberThatStandsStillWhileThisNodeReachesTheOthersIsNotReachedByThem() {
        var failed = stands();
        assertEquals(Set.of(), named(failed.why()));
        assertEquals(
                "open port 2380 from the machines of the other members to this one (https://cp-4:2380), and read etcd's log on this node",
                failed.next());
    }

    @Test
    void aMemberThatStandsStillAndDoesNotReachTheOthersIsToldWhichWayIsClosed() {
        bench.node.unreached = Map.of(
                cluster.id("cp-1"), "connect timed out", cluster.id("cp-2"), "connect timed out");
        var failed = stands();
        assertEquals(Set.of("cp-1", "cp-2"), named(failed.why()));
        assertEquals(
                "open port 2380 from this node to the others, and read etcd's log on this node",
                failed.next());
    }

    @Test
    void helpIsAskedForWhileTheMemberIsSilent() {
        unstarted();
        assertTrue(bench.node.helped > 0);
    }
}
