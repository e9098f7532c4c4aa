package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        assertTrue(EtcdHealth.ask(cluster).alarmRaised().orElseThrow().what().contains("CORRUPT"));
    }

    @Test
    void aDowngradeIsSeen() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.downgrade();
        assertTrue(EtcdHealth.ask(cluster).downgradeUnderWay().orElseThrow().what()
                .contains("downgrade"));
    }

    @Test
    void theMemberThatKnowsNoLearnersIsNamed() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(2, "3.4.29");
        cluster.version(cluster.id("cp-2"), "3.3.25");
        assertTrue(EtcdHealth.ask(cluster).learnersUnknown().orElseThrow().why()
                .contains("cp-2 3.3.25"));
    }

    @Test
    void silentVotersAreNamed() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.stop(cluster.id("cp-3"));
        EtcdHealth health = EtcdHealth.ask(cluster);
        assertEquals(2, health.healthyVoters());
        assertTrue(health.ailing().contains("cp-3")
                && health.ailing().contains("Connection refused"), health.ailing());
    }

    @ParameterizedTest
    @CsvSource({"1,1,0", "2,2,0", "3,2,1", "4,3,1", "5,3,2", "6,4,2", "7,4,3"})
    void quorumIsMoreThanHalf(int voters, int size, int tolerated) {
        assertEquals(size, new Quorum(voters).size());
        assertEquals(tolerated, new Quorum(voters).tolerated());
    }
}
