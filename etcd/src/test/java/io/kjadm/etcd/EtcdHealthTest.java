package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdHealthTest {

    @Test
    void wholeClusterIsReadyWithoutWarnings() {
        assertEquals(new JoinVerdict.Ready(List.of()), verdict(SimulatedCluster.ofVoters(3)));
    }

    @Test
    void oldEtcdWithASilentVoterIsNotReadyAndSaysWhichRule() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(5, "3.5.16");
        cluster.stop(cluster.id("cp-4"));
        var no = assertInstanceOf(JoinVerdict.NotReady.class, verdict(cluster));
        assertTrue(no.what().contains("cp-4") && no.why().contains("3.5.30"), no.toString());
    }

    @Test
    void newEtcdWithOneSilentVoterOfFiveIsReadyWithAWarning() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(5, "3.6.11");
        cluster.stop(cluster.id("cp-4"));
        var yes = assertInstanceOf(JoinVerdict.Ready.class, verdict(cluster));
        assertTrue(yes.warnings().getFirst().contains("cp-4"));
    }

    @Test
    void newEtcdWithOneSilentVoterOfThreeIsNotReady() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3, "3.5.30");
        cluster.stop(cluster.id("cp-3"));
        var no = assertInstanceOf(JoinVerdict.NotReady.class, verdict(cluster));
        assertTrue(no.why().contains("3 voters"), no.why());
    }

    @Test
    void lostMajorityIsNotReady() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        List<Member> members = cluster.members();
        cluster.stop(cluster.id("cp-2"));
        cluster.stop(cluster.id("cp-3"));
        var no = assertInstanceOf(JoinVerdict.NotReady.class, EtcdHealth.ask(cluster, members).joinVerdict());
        assertTrue(no.what().contains("no healthy majority"));
    }

    @Test
    void alarmIsNotReadyAndNamed() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.alarm("CORRUPT");
        assertTrue(assertInstanceOf(JoinVerdict.NotReady.class, verdict(cluster)).what().contains("CORRUPT"));
    }

    @Test
    void anotherLearnerAndMixedMinorsAreWarnings() {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(3);
        cluster.plant(SimulatedCluster.peerUrl("cp-9"), true);
        cluster.version(cluster.id("cp-1"), "3.6.0");
        assertEquals(2, assertInstanceOf(JoinVerdict.Ready.class, verdict(cluster)).warnings().size());
    }

    @ParameterizedTest
    @CsvSource({"1,1,0", "2,2,0", "3,2,1", "4,3,1", "5,3,2", "6,4,2", "7,4,3"})
    void quorumIsMoreThanHalf(int voters, int size, int tolerated) {
        assertEquals(size, new Quorum(voters).size());
        assertEquals(tolerated, new Quorum(voters).tolerated());
    }

    private static JoinVerdict verdict(SimulatedCluster cluster) {
        return EtcdHealth.ask(cluster).joinVerdict();
    }
}
