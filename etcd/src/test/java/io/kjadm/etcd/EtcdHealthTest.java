package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class EtcdHealthTest {

    @Test
    void aWholeClusterHasNothingAgainstANewMember() {
        EtcdHealth health = EtcdHealth.ask(SimulatedCluster.ofVoters(3));
        assertEquals(Optional.empty(), health.alarmRaised());
        assertEquals(Optional.empty(), health.downgradeUnderWay());
        assertEquals(Optional.empty(), health.learnersUnknown());
    }

    @Test
    void anAlarmIsNamed() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.alarm("CORRUPT");
        assertEquals(
                "etcd raises an alarm: memberID:40961 alarm:CORRUPT, memberID:40962 alarm:CORRUPT, memberID:40963 alarm:CORRUPT",
                EtcdHealth.ask(cluster).alarmRaised().orElseThrow().what());
    }

    @Test
    void aDowngradeIsSeen() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.downgrade();
        assertTrue(EtcdHealth.ask(cluster).downgradeUnderWay().isPresent());
    }

    @Test
    void theMemberThatKnowsNoLearnersIsNamed() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(2, "3.4.29");
        cluster.version(cluster.id("cp-2"), "3.3.25");
        assertEquals(
                "learners came with etcd 3.4; the members run cp-1 3.4.29, cp-2 3.3.25",
                EtcdHealth.ask(cluster).learnersUnknown().orElseThrow().why());
    }

    @Test
    void aMemberThatHasNotStartedIsNotAskedAndSaidToBeThat() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        MemberId unstarted = cluster.plant(SimulatedCluster.peerUrl("cp-4"), false);
        EtcdHealth health = EtcdHealth.ask(cluster);
        Member member = health.find(unstarted).orElseThrow();
        assertEquals("it has not started", health.problem(member));
        assertEquals(Optional.empty(), health.status(unstarted));
    }

    /** Its client URL is a loopback one, say, and leads to the member on this machine. */
    @Test
    void anotherMembersAnswerIsNone() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(2);
        MemberId two = cluster.id("cp-2");
        cluster.astray(two, cluster.id("cp-1"));
        EtcdHealth health = EtcdHealth.ask(cluster);
        assertEquals(
                "member " + cluster.id("cp-1") + " answers at its client URLs",
                health.problem(health.find(two).orElseThrow()));
        assertEquals(Optional.empty(), health.status(two));
    }

    @Test
    void onlyAlarmsAreAlarms() {
        MemberId id = new MemberId(1);
        var status = new MemberStatus(
                id,
                "c1",
                id,
                MemberStatus.Versions.of(EtcdVersion.parse("3.5.30")),
                1,
                2,
                77,
                77,
                false,
                List.of(EtcdErrors.NO_LEADER, "memberID:1 alarm:NOSPACE "));
        Member one =
                new Member(id, "cp-1", List.of(SimulatedCluster.peerUrl("cp-1")), List.of(), false);
        EtcdHealth health = new EtcdHealth(List.of(one), Map.of(id, status), Map.of());
        assertEquals(List.of("memberID:1 alarm:NOSPACE"), health.alarms());
        assertEquals(77, health.commit());
        assertEquals(0, new EtcdHealth(List.of(one), Map.of(), Map.of()).commit());
    }

    @Test
    void silentVotersAreNamed() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.stop(cluster.id("cp-3"));
        EtcdHealth health = EtcdHealth.ask(cluster);
        assertEquals(2, health.healthyVoters());
        assertEquals(Set.of("cp-3"), Named.members(health.unhealthyMembers()));
        assertTrue(
                health.unhealthyMembers().endsWith(": Connection refused"),
                health.unhealthyMembers());
    }

    /** Who leaves makes the cluster smaller; who is only away still counts. */
    @ParameterizedTest
    @CsvSource({
        "1,0,false,false",
        "2,0,true,false",
        "3,0,true,true",
        "3,1,false,false",
        "4,1,true,false",
        "5,1,true,true",
        "5,2,false,false"
    })
    void leavingAndBeingAwayForAMomentAreNotTheSame(
            int voters, int silent, boolean mayLeave, boolean mayBeAway) {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(voters);
        for (int i = 0; i < silent; i++) {
            cluster.stop(cluster.id("cp-" + (voters - i)));
        }
        EtcdHealth health = EtcdHealth.ask(cluster);
        Member one = health.find(cluster.id("cp-1")).orElseThrow();
        assertEquals(mayLeave, health.keepsQuorumWithout(one));
        assertEquals(mayBeAway, health.keepsQuorumWhileAway(one));
    }

    @ParameterizedTest
    @CsvSource({"1,1,0", "2,2,0", "3,2,1", "4,3,1", "5,3,2", "6,4,2", "7,4,3"})
    void quorumIsMoreThanHalf(int voters, int size, int tolerated) {
        assertEquals(size, new Quorum(voters).size());
        assertEquals(tolerated, new Quorum(voters).tolerated());
    }
}
