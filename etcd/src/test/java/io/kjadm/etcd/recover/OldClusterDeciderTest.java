package io.kjadm.etcd.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.recover.ClusterLook.Asked;
import io.kjadm.etcd.recover.OldCluster.Alive;
import io.kjadm.etcd.recover.OldCluster.Ended;
import io.kjadm.etcd.recover.OldCluster.LedBefore;
import io.kjadm.etcd.recover.OldCluster.Misnamed;
import io.kjadm.etcd.recover.OldCluster.NotKnown;
import io.kjadm.etcd.recover.OldCluster.Proof;
import io.kjadm.etcd.recover.OldCluster.Sign;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** The old cluster has ended only if nothing of it runs and the operator gives it up by name. */
class OldClusterDeciderTest {

    private final List<Asked> members = new ArrayList<>();
    private Optional<Duration> ledAgo = Optional.empty();
    /** Whether this node's etcd lists no other voter. */
    private boolean alone;

    private static MemberStatus status(int number, MemberId leader) {
        return new MemberStatus(
                EvidenceScene.id(number),
                EvidenceScene.CLUSTER,
                leader,
                MemberStatus.Versions.of(EtcdVersion.parse("3.6.8")),
                4096,
                3,
                100,
                100,
                false,
                List.of());
    }

    /** Voters that do not respond; the first one is this node's. */
    private OldClusterDeciderTest silent(int voters) {
        IntStream.rangeClosed(1, voters)
                .forEach(number -> members.add(silent(number, number == 1)));
        return this;
    }

    private static Asked silent(int number, boolean own) {
        return new Asked(
                EvidenceScene.member(number), own, Optional.empty(), "connection refused", false);
    }

    private void answers(int number, MemberId leader) {
        members.set(
                number - 1,
                new Asked(
                        EvidenceScene.member(number),
                        number == 1,
                        Optional.of(status(number, leader)),
                        "",
                        true));
    }

    private OldCluster decide(String... named) {
        return decide(true, named);
    }

    private OldCluster decide(boolean listed, String... named) {
        return OldClusterDecider.decide(
                new ClusterLook(listed, alone, members, Set.of(named), ledAgo));
    }

    private static List<Member> members(int... numbers) {
        return IntStream.of(numbers).mapToObj(EvidenceScene::member).toList();
    }

    @Test
    void silenceIsNoEnd() {
        silent(3);

        assertEquals(new NotKnown(members(2, 3), false), decide());
        assertEquals(new NotKnown(members(3), false), decide("cp-2"));
    }

    @Test
    void everyVoterIsGivenUpByNameIdOrPeerUrl() {
        silent(3);

        assertEquals(
                new Ended(members(2, 3)),
                decide(EvidenceScene.id(2).toString(), "https://cp-3:2380"));
    }

    /** F165: of two survivors each may begin a new cluster while the other is stopped. */
    @Test
    void anotherSurvivorIsGivenUpByNameToo() {
        silent(5);

        assertEquals(new NotKnown(members(2), false), decide("cp-3", "cp-4", "cp-5"));
        assertEquals(new Ended(members(2, 3, 4, 5)), decide("cp-2", "cp-3", "cp-4", "cp-5"));
    }

    /** F179: its member knew a leader, and was lost before it could tell whether that has gone. */
    @Test
    void aLeaderThatWasKnownCountsForSomeMinutes() {
        silent(3);

        ledAgo = Optional.of(Duration.ofMinutes(15).minusMillis(1));
        assertEquals(new LedBefore(ledAgo.get(), Duration.ofMillis(1)), decide("cp-2", "cp-3"));
        assertEquals(new LedBefore(ledAgo.get(), Duration.ofMillis(1)), decide());
        ledAgo = Optional.of(Duration.ofMinutes(15));
        assertEquals(new Ended(members(2, 3)), decide("cp-2", "cp-3"));
        ledAgo = Optional.of(Duration.ofMinutes(-14));
        assertEquals(
                new LedBefore(Duration.ofMinutes(14), Duration.ofMinutes(1)),
                decide("cp-2", "cp-3"));
        ledAgo = Optional.of(Duration.ofDays(-40));
        assertEquals(new Ended(members(2, 3)), decide("cp-2", "cp-3"));
    }

    /** Port 2379 may be closed between nodes while 2380 is open. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void aMemberThatKnowsALeaderProvesAQuorum(int leader) {
        silent(3).answers(1, EvidenceScene.id(leader));

        Alive alive = assertInstanceOf(Alive.class, decide("cp-2", "cp-3"));

        assertEquals(
                List.of(new Proof(Sign.KNOWS_LEADER, EvidenceScene.member(1))), alive.proofs());
    }

    @Test
    void theOnlyVoterMayLead() {
        silent(1).answers(1, EvidenceScene.id(1));

        assertEquals(new Ended(List.of()), decide());
    }

    @Test
    void messagesNameAMemberByItsNameItsIdOrItsPeerUrl() {
        List<URI> peer = List.of(URI.create("https://cp-2:2380"));
        MemberId id = EvidenceScene.id(2);

        assertEquals("cp-2", ClusterLook.label(new Member(id, "cp-2", peer, List.of(), false)));
        assertEquals(id.toString(), ClusterLook.label(new Member(id, "", peer, List.of(), false)));
        assertEquals(
                "https://cp-2:2380",
                ClusterLook.label(new Member(MemberId.NONE, "", peer, List.of(), false)));
    }

    /** F181: the founder was started again without data, the others are known from a snapshot. */
    @Test
    void anEmptyFounderThatLeadsItselfProvesNothing() {
        silent(3).answers(1, EvidenceScene.id(1));
        alone = true;

        assertEquals(new NotKnown(members(2, 3), false), decide());
        assertEquals(new Ended(members(2, 3)), decide("cp-2", "cp-3"));
    }

    /** It lists itself alone, and is not the leader: its list is out of date. */
    @Test
    void aMemberThatListsItselfAloneMayFollowAnother() {
        silent(3).answers(1, EvidenceScene.id(2));
        alone = true;

        assertInstanceOf(Alive.class, decide("cp-2", "cp-3"));
    }

    /** What this node's empty etcd lists says nothing of the cluster that another member leads. */
    @Test
    void anotherMemberThatLeadsItselfKnowsALeader() {
        OldClusterDeciderTest scene = silent(3);
        scene.answers(1, EvidenceScene.id(1));
        scene.answers(2, EvidenceScene.id(2));
        alone = true;

        assertEquals(
                new Alive(List.of(new Proof(Sign.KNOWS_LEADER, EvidenceScene.member(2)))),
                decide("cp-2", "cp-3"));
    }

    /** Its list is out of date. */
    @Test
    void theOnlyVoterDoesNotFollowAnother() {
        silent(1).answers(1, EvidenceScene.id(2));

        assertInstanceOf(Alive.class, decide());
    }

    @Test
    void thisNodesMemberMayRunWithoutALeader() {
        silent(3).answers(1, MemberId.NONE);

        assertInstanceOf(Ended.class, decide("cp-2", "cp-3"));
    }

    @Test
    void anotherThatRespondsWithoutALeaderIsAlive() {
        silent(3).answers(2, MemberId.NONE);

        Alive alive = assertInstanceOf(Alive.class, decide("cp-2", "cp-3"));

        assertEquals(List.of(new Proof(Sign.SERVES, EvidenceScene.member(2))), alive.proofs());
    }

    @Test
    void anotherThatListensForItsPeersIsAlive() {
        silent(3);
        members.set(
                2,
                new Asked(EvidenceScene.member(3), false, Optional.empty(), "no response", true));

        Alive alive = assertInstanceOf(Alive.class, decide("cp-2", "cp-3"));

        assertEquals(List.of(new Proof(Sign.LISTENS, EvidenceScene.member(3))), alive.proofs());
    }

    @Test
    void thisNodesOwnPeerPortProvesNothing() {
        silent(1);
        members.set(
                0, new Asked(EvidenceScene.member(1), true, Optional.empty(), "no response", true));

        assertEquals(new Ended(List.of()), decide());
    }

    @Test
    void aLearnerNeedsNoName() {
        silent(1);
        Member learner = new Member(
                EvidenceScene.id(2), "cp-2", EvidenceScene.member(2).peerUrls(), List.of(), true);
        members.add(new Asked(learner, false, Optional.empty(), "", false));

        assertEquals(new Ended(List.of()), decide());
        assertEquals(new Ended(List.of()), decide("cp-2"));
    }

    @Test
    void aNameThatNoMemberHasIsRefused() {
        silent(3);

        assertEquals(new Misnamed(Set.of("cp-9")), decide("cp-2", "cp-3", "cp-9"));
    }

    @Test
    void withoutAListTheOperatorHasToSayThatThereAreNoOthers() {
        silent(2);

        assertEquals(new NotKnown(List.of(), true), decide(false, "cp-2"));
        assertEquals(new NotKnown(members(2), false), decide(false, ClusterLook.NO_OTHERS));
        assertEquals(new Ended(members(2)), decide(false, "cp-2", ClusterLook.NO_OTHERS));
    }

    @Test
    void whereMembersAreListedNoOthersNamesNobody() {
        silent(2);

        assertEquals(new NotKnown(members(2), false), decide(ClusterLook.NO_OTHERS));
    }
}
