package io.kjadm.etcd.join;

import static io.kjadm.etcd.Lines.assertHasLine;
import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How many of the other voters must be well before a learner is promoted. */
class BeforeVoteTest extends JoinScene {

    private static final Set<String> ALLOW_DEGRADED = Set.of("--allow-degraded");

    private void ready() {
        bench.start(unstarted());
    }

    @Test
    void aFourthVoterIsNotPromotedWhereItWouldReachOneOtherAlone() {
        bench.options = DEGRADED;
        ready();
        bench.node.unreached =
                Map.of(cluster.id("cp-2"), "timed out", cluster.id("cp-3"), "timed out");
        for (int i = 0; i < 20; i++) {
            String detail = waits(WaitReason.VOTER_UNHEALTHY).detail();
            assertTrue(
                    detail.startsWith(
                            "not enough voters are healthy"
                                    + " (2 of 4 voters would be healthy and 3 must be): this node does not reach"),
                    detail);
            bench.pass(Duration.ofSeconds(1));
        }
        assertEquals(List.of("addLearner"), verbs(), "two of four are no majority");
        bench.node.unreached = Map.of(cluster.id("cp-3"), "timed out");
        joined();
        assertHasLine(
                "promoting although not every voter is healthy, because of --allow-degraded: 3 of 4 voters would be healthy and 3 must be, no spare: one more failure stops etcd; this node does not reach port 2380 of a003 cp-3 (voter, https://cp-3:2380): timed out",
                String.join("\n", bench.told));
    }

    @Test
    void withoutTheFlagAMajorityIsNotEnough() {
        ready();
        bench.node.unreached = Map.of(cluster.id("cp-3"), "timed out");
        String detail = waits(WaitReason.VOTER_UNHEALTHY).detail();
        assertTrue(
                detail.startsWith(
                        "not every other voter is healthy, and only --allow-degraded promotes then"),
                detail);
    }

    @Test
    void nobodyIsCalledWhileTooFewAnswer() {
        ready();
        cluster.stop(cluster.id("cp-3"));
        waits(WaitReason.VOTER_UNHEALTHY);
        assertEquals(List.of(), bench.node.called);
    }

    @Test
    void whatIsToSpareIsTold() {
        SimulatedCluster five = SimulatedCluster.ofVoters(5);
        bench = new JoinBench(five, "cp-6");
        bench.options = DEGRADED;
        ready();
        five.stop(five.id("cp-5"));
        joined();
        assertEquals(
                "promoting although not every voter is healthy, because of --allow-degraded:"
                        + " 5 of 6 voters would be healthy and 4 must be, 1 to spare;"
                        + " a005 cp-5 (voter, https://cp-5:2380): Connection refused",
                bench.told.getLast());
    }

    @Test
    void aPromotionThatIsSentAgainIsNotToldAgain() {
        bench.options = DEGRADED;
        ready();
        cluster.stop(cluster.id("cp-3"));
        cluster.next(Fault.LEADER_CHANGED);
        joined();
        assertEquals(List.of("addLearner", "promote", "promote"), verbs());
        assertEquals(
                1,
                bench.told.stream()
                        .filter(text -> Named.flags(text).equals(ALLOW_DEGRADED))
                        .count());
    }

    @Test
    void whereAllAreWellTheFlagIsNoNews() {
        bench.options = DEGRADED;
        ready();
        joined();
        assertTrue(
                bench.told.stream().allMatch(text -> Named.flags(text).isEmpty()),
                bench.told::toString);
    }

    /** The calls were made before it came. */
    @Test
    void aVoterThatCameMeanwhileIsCalledToo() {
        ready();
        bench.node.unreached = Map.of(cluster.id("cp-3"), "timed out");
        waits(WaitReason.VOTER_UNHEALTHY);
        MemberId fifth = cluster.plant(peerUrl("cp-5"), false);
        cluster.start(fifth, "cp-5");
        bench.node.unreached = Map.of(fifth, "timed out");
        bench.pass(Duration.ofSeconds(1));
        String detail = waits(WaitReason.VOTER_UNHEALTHY).detail();
        assertEquals(Set.of("cp-5"), Named.members(detail), detail);
    }

    @Test
    void aPortThatIsNotNamedIsEtcds() {
        Member voter = new Member(
                new MemberId(1), "cp-1", List.of(URI.create("https://cp-1")), List.of(), false);
        Member other = new Member(
                new MemberId(2),
                "cp-2",
                List.of(URI.create("https://cp-2:12380")),
                List.of(),
                false);
        PeerReach reach = PeerReach.called(
                List.of(), Map.of(voter.id(), "refused", other.id(), "refused"), Instant.EPOCH);
        assertTrue(
                reach.closed(List.of(voter)).startsWith("this node does not reach port 2380 of"));
        assertTrue(
                reach.closed(List.of(other)).startsWith("this node does not reach port 12380 of"));
    }
}
