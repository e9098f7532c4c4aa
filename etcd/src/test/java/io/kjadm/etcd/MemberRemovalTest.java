package io.kjadm.etcd;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.SimulatedCluster.Fault;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A member is removed from a cluster that goes on without it. */
class MemberRemovalTest {

    private final MemberRemoval removal = new MemberRemoval();
    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);

    @Test
    void leaderHandsOverAndLeaves() {
        assertTrue(remove("cp-1").successor().isPresent());
        assertInstanceOf(Removal.Confirmed.class, attempt("cp-1"));
        assertEquals(2, cluster.members().size());
        assertTrue(cluster.changes().getFirst().startsWith("moveLeader"));
    }

    @Test
    void followerLeaves() {
        assertInstanceOf(Removal.Confirmed.class, attempt("cp-2"));
    }

    @Test
    void lastVoterHasNobodyToAsk() {
        SimulatedCluster one = SimulatedCluster.ofVoters(1);
        assertInstanceOf(RemovalPlan.LastMember.class, plan(one, "cp-1"));
    }

    @Test
    void nodeThatNeverJoinedHasNothingToRemove() {
        assertInstanceOf(RemovalPlan.NotListed.class, plan(cluster, "cp-9"));
    }

    @Test
    void ofThreeWithOneDownNoneMayLeave() {
        cluster.stop(cluster.id("cp-3"));
        Problem refused = assertInstanceOf(RemovalPlan.Refused.class, plan(cluster, "cp-2"))
                .problem();
        assertEquals(Set.of("cp-1", "cp-3"), Named.members(refused.why()), refused.why());
    }

    @Test
    void theSilentOneItselfMayLeave() {
        MemberId id = cluster.id("cp-3");
        cluster.stop(id);
        assertInstanceOf(Removal.Confirmed.class, attempt(OwnMember.known(id)));
    }

    @Test
    void ofTwoOneMayLeave() {
        SimulatedCluster two = SimulatedCluster.ofVoters(2);
        assertEquals(
                Optional.empty(),
                assertInstanceOf(RemovalPlan.Remove.class, plan(two, "cp-2")).successor());
    }

    @Test
    void fullDiskAlarmDoesNotKeepAnybody() {
        cluster.alarm("NOSPACE");
        assertEquals(Optional.empty(), remove("cp-2").successor());
    }

    @Test
    void leftoverLearnerOfOursGoesFirst() {
        MemberId leftover = cluster.plant(peerUrl("cp-2b"), true);
        var own = new OwnMember(
                Optional.of(cluster.id("cp-2")),
                Optional.of("cp-2"),
                Set.of(peerUrl("cp-2"), peerUrl("cp-2b")));
        var plan = assertInstanceOf(
                RemovalPlan.Remove.class, removal.plan(EtcdHealth.ask(cluster), own));
        assertEquals(leftover, plan.member().id());
    }

    @Test
    void lostReplyIsConfirmedByTheList() {
        cluster.next(Fault.REPLY_LOST);
        assertInstanceOf(Removal.Confirmed.class, attempt("cp-2"));
        assertEquals(1, cluster.changes().size());
    }

    @Test
    void lateRemovalIsNotTakenForDone() {
        cluster.next(Fault.APPLIED_LATE);
        var wait = assertInstanceOf(Removal.MustWait.class, attempt("cp-2"));
        assertEquals(EtcdCluster.LATE_CHANGE, wait.pause());
        cluster.tick();
        assertInstanceOf(RemovalPlan.NotListed.class, plan(cluster, "cp-2"));
    }

    @Test
    void leaderThatChangedMeanwhileIsPlannedAnew() {
        EtcdHealth seen = EtcdHealth.ask(cluster);
        var own = OwnMember.known(cluster.id("cp-1"));
        cluster.moveLeader(cluster.leader(), cluster.id("cp-2"));
        assertInstanceOf(
                Removal.MustWait.class, removal.attempt(cluster, seen, own, Removal.Progress.NONE));
        assertEquals(Optional.empty(), remove("cp-1").successor());
    }

    @Test
    void unreadableListIsNoConfirmation() {
        EtcdHealth seen = EtcdHealth.ask(cluster);
        MemberId id = cluster.id("cp-2");
        cluster.failListsAfterNextChange(1);
        assertInstanceOf(
                Removal.MustWait.class,
                removal.attempt(cluster, seen, OwnMember.known(id), Removal.Progress.NONE));
        assertEquals(1, removals(), "it was sent");
    }

    @Test
    void withoutASecondLookNothingIsSent() {
        EtcdHealth seen = EtcdHealth.ask(cluster);
        MemberId id = cluster.id("cp-2");
        cluster.failLists(1);
        assertInstanceOf(
                Removal.MustWait.class,
                removal.attempt(cluster, seen, OwnMember.known(id), Removal.Progress.NONE));
        assertEquals(0, removals());
    }

    @Test
    void learnerThatIsPromotedBetweenTheLooksStays() {
        MemberId id = cluster.plant(peerUrl("cp-4"), true);
        cluster.start(id, "cp-4");
        Member learner = EtcdHealth.ask(cluster).find(id).orElseThrow();
        EtcdHealth seen = EtcdHealth.ask(cluster);
        cluster.promoteByOther(id);
        assertInstanceOf(
                Removal.MustWait.class,
                removal.attempt(cluster, seen, OwnMember.asListed(learner), Removal.Progress.NONE));
        var declined =
                assertInstanceOf(Removal.Declined.class, attempt(OwnMember.asListed(learner)));
        assertInstanceOf(RemovalPlan.Promoted.class, declined.plan());
        assertEquals(0, removals());
        assertEquals(4, cluster.members().size());
    }

    @Test
    void whoeverLeavesBetweenTheLooksHasTheQuorumCountedAnew() {
        EtcdHealth seen = EtcdHealth.ask(cluster);
        MemberId own = cluster.id("cp-2");
        cluster.removeByOther(cluster.id("cp-3"));
        assertInstanceOf(
                Removal.MustWait.class,
                removal.attempt(cluster, seen, OwnMember.known(own), Removal.Progress.NONE));
        assertEquals(0, removals());
    }

    @Test
    void memberThatStartsBetweenTheLooksIsDecidedUponAnew() {
        MemberId id = cluster.plant(peerUrl("cp-4"), true);
        EtcdHealth seen = EtcdHealth.ask(cluster);
        OwnMember own = OwnMember.asListed(seen.find(id).orElseThrow());
        cluster.start(id, "cp-4");
        assertInstanceOf(
                Removal.MustWait.class, removal.attempt(cluster, seen, own, Removal.Progress.NONE));
        assertEquals(0, removals());
    }

    @Test
    void withoutAQuorumNeitherVoterNorLearnerGoes() {
        MemberId learner = cluster.plant(peerUrl("cp-4"), true);
        List<Member> members = cluster.members();
        cluster.stop(cluster.id("cp-1"));
        cluster.stop(cluster.id("cp-3"));
        EtcdHealth health = EtcdHealth.ask(cluster, members);
        for (MemberId id : List.of(learner, cluster.id("cp-2"))) {
            Problem refused = assertInstanceOf(
                            RemovalPlan.Refused.class, removal.plan(health, OwnMember.known(id)))
                    .problem();
            assertEquals("etcd has no quorum and cannot change its members", refused.what());
            assertEquals(Set.of("cp-1", "cp-2", "cp-3"), Named.members(refused.why()));
        }
    }

    /** Voters that this node does not reach are no lost quorum: one that it reaches has a leader. */
    @Test
    void aLearnerGoesThoughMostVotersAreOutOfReach() {
        MemberId learner = cluster.plant(peerUrl("cp-4"), true);
        cluster.silent(cluster.id("cp-1"));
        cluster.silent(cluster.id("cp-3"));
        EtcdHealth health = EtcdHealth.ask(cluster);
        assertInstanceOf(
                RemovalPlan.Refused.class,
                removal.plan(health, OwnMember.known(cluster.id("cp-2"))));
        assertInstanceOf(
                Removal.Confirmed.class,
                removal.attempt(cluster, health, OwnMember.known(learner), Removal.Progress.NONE));
        assertEquals(List.of(), EtcdHealth.ask(cluster).learners());
    }

    @Test
    void whoIsWellIsNamed() {
        cluster.stop(cluster.id("cp-3"));
        assertTrue(assertInstanceOf(RemovalPlan.Refused.class, plan(cluster, "cp-2"))
                .problem()
                .why()
                .startsWith("of the other voters 1 are healthy (cp-1), 2 are needed; unhealthy: "));
    }

    @Test
    void whoHasAppliedMostTakesOver() {
        cluster.write(100);
        cluster.lag(cluster.id("cp-2"), 50);
        var plan = remove("cp-1");
        assertEquals("cp-3", plan.successor().orElseThrow().name());
        cluster.lag(cluster.id("cp-2"), 0);
        cluster.lag(cluster.id("cp-3"), 50);
        plan = remove("cp-1");
        assertEquals("cp-2", plan.successor().orElseThrow().name());
    }

    @Test
    void whatIsAboutToBeSentIsToldFirst() {
        List<String> told = new ArrayList<>();
        var progress = new Removal.Progress() {
            @Override
            public void handingOver(Member leader, Member successor) {
                told.add(leader.name() + " to " + successor.name() + " "
                        + cluster.changes().size());
            }

            @Override
            public void removing(Member member) {
                told.add(member.name() + " " + cluster.changes().size());
            }
        };
        removal.attempt(
                cluster, EtcdHealth.ask(cluster), OwnMember.known(cluster.id("cp-1")), progress);
        assertEquals(List.of("cp-1 to cp-2 0", "cp-1 1"), told);
    }

    @Test
    void aLeaderThatDoesNotHandOverStaysForNow() {
        for (Fault fault :
                List.of(Fault.NO_LEADER, Fault.UNHEALTHY, Fault.REQUEST_LOST, Fault.NEEDS_HUMAN)) {
            cluster.next(fault);
            var wait = assertInstanceOf(Removal.MustWait.class, attempt("cp-1"));
            assertTrue(wait.why().startsWith("the leader transfer failed: "), wait.why());
            assertEquals(fault == Fault.UNHEALTHY, wait.refused());
        }
        cluster.next(Fault.FORBIDDEN);
        var listed = assertInstanceOf(Removal.StillListed.class, attempt("cp-1"));
        assertEquals(ErrorClass.FATAL, listed.cause());
        assertEquals(0, removals());
    }

    @Test
    void aRemovalThatIsRefusedForGoodLeavesItListed() {
        for (Fault fault : List.of(Fault.NEEDS_HUMAN, Fault.FORBIDDEN)) {
            cluster.next(fault);
            var listed = assertInstanceOf(Removal.StillListed.class, attempt("cp-2"));
            assertEquals(cluster.id("cp-2"), listed.member().id());
            assertEquals(
                    "from a node that stays, run \"kjadm etcd member remove a002\"", listed.next());
        }
        for (Fault fault : List.of(Fault.UNHEALTHY, Fault.NO_LEADER)) {
            cluster.next(fault);
            assertEquals(
                    Duration.ofSeconds(1),
                    assertInstanceOf(Removal.MustWait.class, attempt("cp-2")).pause());
        }
        assertEquals(3, cluster.members().size());
    }

    @Test
    void listsThatAreRefusedForGoodSayNothingOfTheRemoval() {
        EtcdHealth seen = EtcdHealth.ask(cluster);
        OwnMember own = OwnMember.known(cluster.id("cp-2"));
        cluster.refuseLists(RpcCode.PERMISSION_DENIED, "etcdserver: permission denied");
        assertInstanceOf(
                Removal.StillListed.class,
                removal.attempt(cluster, seen, own, Removal.Progress.NONE));
        assertEquals(0, removals());
    }

    @Test
    void memberThatSomebodyElseRemovedBetweenTheLooksIsGone() {
        EtcdHealth seen = EtcdHealth.ask(cluster);
        MemberId own = cluster.id("cp-2");
        cluster.removeByOther(own);
        assertInstanceOf(
                Removal.Confirmed.class,
                removal.attempt(cluster, seen, OwnMember.known(own), Removal.Progress.NONE));
        assertEquals(0, removals());
    }

    @Test
    void whatCannotBeNotedIsNotSent() {
        var fullDisk = new Removal.Progress() {
            @Override
            public void removing(Member member) {
                throw new IllegalStateException("No space left on device");
            }
        };
        assertThrows(
                IllegalStateException.class,
                () -> removal.attempt(
                        cluster,
                        EtcdHealth.ask(cluster),
                        OwnMember.known(cluster.id("cp-2")),
                        fullDisk));
        assertEquals(0, removals());
    }

    private long removals() {
        return cluster.changes().stream()
                .filter(change -> change.startsWith("remove"))
                .count();
    }

    private Removal attempt(String name) {
        return attempt(own(cluster, name));
    }

    private Removal attempt(OwnMember own) {
        return removal.attempt(cluster, EtcdHealth.ask(cluster), own, Removal.Progress.NONE);
    }

    private RemovalPlan.Remove remove(String name) {
        return assertInstanceOf(RemovalPlan.Remove.class, plan(cluster, name));
    }

    private RemovalPlan plan(SimulatedCluster etcd, String name) {
        return removal.plan(EtcdHealth.ask(etcd), own(etcd, name));
    }

    private static OwnMember own(SimulatedCluster etcd, String name) {
        Optional<MemberId> id = etcd.members().stream()
                .filter(member -> member.name().equals(name))
                .map(Member::id)
                .findFirst();
        return new OwnMember(id, Optional.of(name), Set.of(peerUrl(name)));
    }
}
