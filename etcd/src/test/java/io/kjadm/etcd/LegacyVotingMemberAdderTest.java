package io.kjadm.etcd;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LegacyVotingMemberAdderTest {

    private static final NewMember CP3 = new NewMember("cp-3", peerUrl("cp-3"));

    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(2);
    private final LegacyVotingMemberAdder adder = new LegacyVotingMemberAdder();

    @Test
    void voterIsAddedAndDoneWhenStarted() {
        Member member = assertInstanceOf(Announcement.Added.class, adder.announce(cluster, CP3)).member();
        assertTrue(member.voter());
        assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, member.id()));
        cluster.start(member.id(), "cp-3");
        assertInstanceOf(Settlement.Voter.class, adder.settle(cluster, member.id()));
        assertEquals(List.of("addVoter https://cp-3:2380"), cluster.changes());
    }

    @Test
    void worksWithEtcd33() {
        SimulatedCluster old = SimulatedCluster.ofVoters(1, "3.3.25");
        assertInstanceOf(Announcement.Added.class, adder.announce(old, CP3));
    }

    @Test
    void silentVoterIsWaitedForAsEveryVoteCounts() {
        SimulatedCluster three = SimulatedCluster.ofVoters(3);
        three.stop(three.id("cp-3"));
        var wait = assertInstanceOf(Announcement.MustWait.class,
                adder.announce(three, new NewMember("cp-4", peerUrl("cp-4"))));
        assertEquals(WaitReason.UNHEALTHY, wait.reason());
        assertEquals(List.of(), three.changes());
    }

    @Test
    void rerunFindsItsOwnUnstartedVoter() {
        SimulatedCluster four = SimulatedCluster.ofVoters(3);
        MemberId earlier = four.plant(peerUrl("cp-4"), false);
        var rerun = new NewMember("cp-4", peerUrl("cp-4"), new LocalTrace(Optional.of(earlier), false));
        assertInstanceOf(Announcement.AlreadyThere.class, adder.announce(four, rerun));
    }

    @Test
    void learnerOfARunWithLearnersOnIsRefused() {
        MemberId earlier = cluster.plant(peerUrl("cp-3"), true);
        var rerun = new NewMember("cp-3", peerUrl("cp-3"), new LocalTrace(Optional.of(earlier), false));
        assertInstanceOf(Announcement.Refused.class, adder.announce(cluster, rerun));
    }

    @Test
    void removedMemberIsGone() {
        MemberId id = assertInstanceOf(Announcement.Added.class, adder.announce(cluster, CP3)).member().id();
        cluster.removeByOther(id);
        assertInstanceOf(Settlement.Gone.class, adder.settle(cluster, id));
    }
}
