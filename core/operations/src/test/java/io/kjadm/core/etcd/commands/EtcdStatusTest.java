package io.kjadm.core.etcd.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.kjadm.core.etcd.commands.EtcdStatus.Role;
import io.kjadm.core.etcd.commands.EtcdStatus.Row;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.KnownDefects;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** What is shown of a cluster. */
class EtcdStatusTest {

    private final OpsLab lab = new OpsLab(3).onControlPlane();

    @Test
    void aHealthyClusterHasAMargin() {
        EtcdStatus status = lab.open().status();
        assertEquals(1, status.margin());
        assertTrue(status.serves());
        assertEquals(
                List.of("leader", "voter", "voter"),
                status.members().stream().map(row -> row.role().text()).toList());
        assertTrue(status.members().stream().allMatch(Row::healthy));
        assertEquals("healthy", row(status, "cp-1").condition());
        assertEquals("", status.unhealthyMembers());
    }

    @Test
    void aSilentVoterCostsTheMarginAndHasItsReason() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        EtcdStatus status = lab.open().status();
        assertEquals(0, status.margin());
        assertTrue(status.serves());
        Row silent = row(status, "cp-3");
        assertFalse(silent.healthy());
        assertEquals("no answer: Connection refused", silent.condition());
    }

    @Test
    void whatAilsTheClusterAreItsVotersThatAreNotHealthy() {
        lab.etcd.stop(lab.startedLearner("cp-4"));
        assertEquals("", lab.open().status().unhealthyMembers());
        lab.etcd.stop(lab.etcd.id("cp-3"));
        assertEquals(
                "a003 cp-3 (voter, https://cp-3:2380): no answer: Connection refused",
                lab.open().status().unhealthyMembers());
    }

    @Test
    void knownDefectsAreThoseOfTheMembersThatAnswer() {
        OpsLab old = new OpsLab(SimulatedCluster.ofVoters(3, "3.6.8")).onControlPlane();
        old.etcd.stop(old.etcd.id("cp-3"));
        EtcdStatus status = old.open().status();
        assertEquals(
                List.of(List.of("cp-1", "cp-2")),
                status.defects().stream().map(KnownDefects.Affected::members).toList());
        EtcdStatus one = status.only(old.etcd.id("cp-2"));
        assertEquals(List.of("cp-2"), one.defects().getFirst().members());
        assertEquals(
                List.of(),
                new OpsLab(SimulatedCluster.ofVoters(3, "3.6.14"))
                        .onControlPlane()
                        .open()
                        .status()
                        .defects());
    }

    @Test
    void aMemberThatNeverStartedIsNotCalledSilent() {
        lab.learner("cp-4");
        Row ghost = lab.open().status().members().getLast();
        assertEquals(Role.LEARNER, ghost.role());
        assertEquals("not started", ghost.condition());
    }

    @Test
    void membersOfOneRoleAreShownByName() {
        lab.startedLearner("cp-5");
        lab.startedLearner("cp-4");
        assertEquals(
                List.of("cp-1", "cp-2", "cp-3", "cp-4", "cp-5"),
                lab.open().status().members().stream()
                        .map(row -> row.member().name())
                        .toList());
    }

    @Test
    void onlyAQuorumThatAgreesOnALeaderServes() {
        Optional<Member> leader = Optional.of(lab.etcd.members().getFirst());
        assertTrue(ofThree(2, leader).serves());
        assertFalse(ofThree(1, leader).serves());
        assertFalse(ofThree(3, Optional.empty()).serves());
    }

    @Test
    void withoutAQuorumNobodyLeads() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.etcd.stop(lab.etcd.id("cp-2"));
        EtcdStatus status = lab.open().status();
        assertEquals(-2, status.margin());
        assertFalse(status.serves());
        assertEquals("knows no leader", row(status, "cp-1").condition());
        assertEquals(Optional.empty(), row(status, "cp-1").progress());
    }

    @Test
    void lagIsCountedFromTheLeadersCommit() {
        lab.etcd.write(900);
        lab.etcd.lag(lab.etcd.id("cp-3"), 250);
        assertEquals(
                250, row(lab.open().status(), "cp-3").progress().orElseThrow().lag());
    }

    @Test
    void alarmsBelongToWhoRaisedThem() {
        lab.etcd.alarm("NOSPACE");
        EtcdStatus status = lab.open().status();
        assertEquals(3, status.alarms().size());
        assertEquals("NOSPACE", status.alarms().getFirst().kind());
        assertEquals("alarm NOSPACE", row(status, "cp-1").condition());
        assertTrue(status.serves());
    }

    @Test
    void whoseALearnerIsIsNotInvented() {
        lab.learner("cp-4");
        assertEquals(Optional.empty(), lab.open().status().members().getLast().owner());
        lab.lock = new MembershipLeaseStatus.Unknown("the API server is down");
        assertEquals(Optional.empty(), lab.open().status().members().getLast().owner());
    }

    @Test
    void anotherNodesLearnerIsNotTheHolders() {
        lab.startedLearner("cp-4");
        lab.lock = lab.held("cp-5_run", Duration.ofMinutes(1), true);
        assertEquals(Optional.empty(), lab.open().status().members().getLast().owner());
        lab.lock = lab.held("cp-4_run", Duration.ofMinutes(1), true);
        LearnerOwner owner = lab.open().status().members().getLast().owner().orElseThrow();
        assertEquals(Optional.of(lab.now().minusSeconds(60)), owner.since());
    }

    @Test
    void aVoterHasNoOwner() {
        lab.startedLearner("cp-4");
        lab.lock = lab.held("cp-2_run", Duration.ofMinutes(1), true);
        assertTrue(lab.open().status().members().stream()
                .allMatch(row -> row.owner().isEmpty()));
    }

    @Test
    void ofTwoLearnersNobodyKnowsWhichIsTheHolders() {
        lab.learner("cp-4");
        lab.learner("cp-5");
        lab.lock = lab.held("cp-4/run", Duration.ofMinutes(1), true);
        assertTrue(lab.open().status().members().stream()
                .allMatch(row -> row.owner().isEmpty()));
    }

    @Test
    void theNodesOwnNoteKnowsItsLearner() {
        MemberId id = lab.learner("cp-1b");
        lab.noteAdded(id);
        LearnerOwner owner = lab.open().status().members().getLast().owner().orElseThrow();
        assertEquals(
                new LearnerOwner("an unfinished join of this node", Optional.empty(), true), owner);
    }

    @Test
    void theLeaseTellsWhoSinceWhenAndWhetherThatIsAlive() {
        Instant now = lab.now();
        Lease lease = lease("cp-4/run", now.minusSeconds(300), now.minusSeconds(20));
        var held = assertInstanceOf(
                MembershipLeaseStatus.Held.class,
                MembershipLeaseStatus.of(Optional.of(lease), now));
        assertEquals("cp-4/run", held.holder());
        assertEquals(Optional.of(now.minusSeconds(300)), held.since());
        assertTrue(held.alive());
        var dead = assertInstanceOf(
                MembershipLeaseStatus.Held.class,
                MembershipLeaseStatus.of(Optional.of(lease), now.plusSeconds(41)));
        assertFalse(dead.alive());
        // its clock is ahead: that says nothing
        var ahead = assertInstanceOf(
                MembershipLeaseStatus.Held.class,
                MembershipLeaseStatus.of(Optional.of(lease), now.minusSeconds(3600)));
        assertFalse(ahead.alive());
        assertInstanceOf(
                MembershipLeaseStatus.Free.class,
                MembershipLeaseStatus.of(Optional.of(lease("", now, now)), now));
        assertInstanceOf(
                MembershipLeaseStatus.Free.class, MembershipLeaseStatus.of(Optional.empty(), now));
    }

    @Test
    void aLeaseThatWasNotRenewedYetIsAsOldAsItsClaim() {
        Instant now = lab.now();
        Lease lease = new LeaseBuilder(lease("cp-4/run", now.minusSeconds(20), now))
                .editSpec()
                .withRenewTime(null)
                .endSpec()
                .build();
        assertEquals(
                new MembershipLeaseStatus.Held(
                        "cp-4/run", Optional.of(now.minusSeconds(20)), now.minusSeconds(20), true),
                MembershipLeaseStatus.of(Optional.of(lease), now));
    }

    private static EtcdStatus ofThree(int healthy, Optional<Member> leader) {
        return new EtcdStatus(
                "c1",
                new EtcdStatus.Voters(new Quorum(3), healthy, leader),
                List.of(),
                List.of(),
                new MembershipLeaseStatus.Free(),
                List.of(),
                Instant.EPOCH);
    }

    private static Lease lease(String holder, Instant acquired, Instant renewed) {
        return new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(LockRecord.NAMESPACE)
                .withName(LockRecord.NAME)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(holder)
                .withAcquireTime(acquired.atZone(ZoneOffset.UTC))
                .withRenewTime(renewed.atZone(ZoneOffset.UTC))
                .withLeaseDurationSeconds(60)
                .endSpec()
                .build();
    }

    private static Row row(EtcdStatus status, String name) {
        return status.members().stream()
                .filter(row -> row.member().name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
