package io.kjadm.etcd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

/** Whether the members agree on a leader and on who they are. */
class AgreementRulesTest {

    private Scene scene = Scene.ofVoters(2);

    @Test
    void twoLeadersAreNamed() {
        scene = Scene.ofVoters(4);
        scene.node(4).leader = new MemberId(4);
        Told.one(scene.errors(), "EtcdLeader", "cp-1 follows 1", "cp-4 follows 4");
        assertTrue(scene.cluster().mayPass());
    }

    @Test
    void whereNobodyNamesALeaderThereIsNone() {
        scene.node(1).leader = MemberId.NONE;
        scene.node(2).leader = MemberId.NONE;
        assertTrue(leaders().startsWith("etcd has no leader: cp-1 follows 0"), leaders());
    }

    @Test
    void oneThatKnowsNoLeaderYetIsNoDisagreement() {
        scene = Scene.ofVoters(3);
        scene.node(3).leader = MemberId.NONE;
        assertEquals(
                List.of(),
                scene.errors().stream()
                        .filter(text -> text.startsWith("EtcdLeader"))
                        .toList());
    }

    @Test
    void aLeaderThatIsNamedByTooFewIsNone() {
        scene = Scene.ofVoters(3);
        scene.node(2).leader = MemberId.NONE;
        scene.node(3).leader = MemberId.NONE;
        assertTrue(leaders().startsWith("the etcd members do not agree on a leader"), leaders());
    }

    /** The rule alone: where there is no quorum the whole list ends before it. */
    private String leaders() {
        return AgreementRules.leader(scene.cluster()).getFirst().text();
    }

    @Test
    void differentTermsAreAnElection() {
        scene.node(2).term = 3;
        Told.one(scene.errors(), "EtcdLeader", "cp-1 in 2", "cp-2 in 3");
        assertTrue(scene.cluster().mayPass());
    }

    @Test
    void aQuietClusterNeedsNoSecondLook() {
        assertFalse(scene.cluster().mayPass());
    }

    @Test
    void aMemberThatOnlyOneEndpointListsIsPrinted() {
        Scene other = Scene.ofVoters(3);
        scene.node(2).local = Optional.of(other.members());
        // and no line for 1 and 2, which all of them list
        assertEquals(
                List.of("EtcdMemberLists: the etcd members do not list the same members:"
                        + " + 3 voter https://10.0.0.3:2380: at cp-2 (local);"
                        + " - not at cp-1 (linearizable), cp-1 (local), cp-2 (linearizable);"
                        + " a member that was removed has come back, a promotion was recorded in part,"
                        + " or the members have different --max-learners,"
                        + " and a change would make it worse:"
                        + " compare \"kjadm etcd status\" at each of them,"
                        + " upgrade etcd 3.5 to 3.5.26 or newer,"
                        + " give all members the same --max-learners, and repair the list first"),
                scene.errors());
        assertTrue(scene.cluster().mayPass());
    }

    @Test
    void aPromotionThatOneEndpointDoesNotKnowIsPrinted() {
        Member two = scene.node(2).member;
        scene.node(2).agreed = Optional.of(List.of(
                scene.node(1).member,
                new Member(two.id(), two.name(), two.peerUrls(), two.clientUrls(), true)));
        Told.one(scene.errors(), "EtcdMemberLists", "+ 2 learner", "+ 2 voter");
    }

    @Test
    void namesAndClientUrlsThatAreYetToComeAreNoDifference() {
        Member two = scene.node(2).member;
        scene.node(2).local = Optional.of(List.of(
                scene.node(1).member, new Member(two.id(), "", two.peerUrls(), List.of(), false)));
        Told.nothing(scene.errors());
    }
}
