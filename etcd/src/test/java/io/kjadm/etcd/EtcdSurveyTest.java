package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.List;

/** Looking at clusters that may be broken. */
class EtcdSurveyTest {

    private static final URI ONE = URI.create("https://cp-1:2379");
    private static final URI TWO = URI.create("https://cp-2:2379");
    private static final URI FOUR = URI.create("https://cp-4:2379");

    private final SimulatedCluster cluster = SimulatedCluster.ofVoters(3);

    @Test
    void oneEndpointLeadsToEveryMember() {
        EtcdSurvey.Heard heard = heard(List.of(TWO));
        assertEquals("c1", heard.clusterId());
        assertEquals(3, heard.health().healthyVoters());
        assertEquals(cluster.leader(), heard.health().leader().orElseThrow().id());
        assertEquals(List.of(), heard.disputes());
    }

    @Test
    void aSilentEndpointIsPassedOver() {
        cluster.stop(cluster.id("cp-1"));
        EtcdSurvey.Heard heard = heard(List.of(ONE, TWO));
        assertEquals(2, heard.health().healthyVoters());
        assertTrue(heard.health().hasQuorum());
    }

    @Test
    void withoutAQuorumTheMembersAreStillKnown() {
        cluster.stop(cluster.id("cp-1"));
        cluster.stop(cluster.id("cp-3"));
        EtcdSurvey.Heard heard = heard(List.of(ONE, TWO));
        assertEquals(3, heard.health().members().size());
        assertEquals(0, heard.health().healthyVoters());
        assertTrue(heard.health().leader().isEmpty());
        assertTrue(heard.health().status(cluster.id("cp-2")).isPresent());
    }

    @Test
    void ifNobodyAnswersEveryEndpointHasItsReasonInTheOrderAsked() {
        List.of("cp-1", "cp-2", "cp-3").forEach(name -> cluster.stop(cluster.id(name)));
        var silence = assertInstanceOf(
                EtcdSurvey.Silence.class, EtcdSurvey.of(cluster, List.of(TWO, ONE)));
        assertEquals(List.of(TWO, ONE), List.copyOf(silence.reasons().keySet()));
        assertEquals("Connection refused", silence.reasons().get(ONE));
    }

    @Test
    void aLearnerAloneTellsNothing() {
        cluster.start(cluster.plant(SimulatedCluster.peerUrl("cp-4"), true), "cp-4");
        var silence =
                assertInstanceOf(EtcdSurvey.Silence.class, EtcdSurvey.of(cluster, List.of(FOUR)));
        assertEquals(EtcdErrors.RPC_AT_LEARNER, silence.reasons().get(FOUR));
        assertEquals(1, heard(List.of(FOUR, ONE)).health().learners().size());
    }

    @Test
    void theMostAdvancedVotersListCountsAndTheOthersAreToldOf() {
        MemberId stale = cluster.id("cp-2");
        cluster.freezeList(stale);
        cluster.plant(SimulatedCluster.peerUrl("cp-4"), true);
        cluster.lag(stale, 50);

        EtcdSurvey.Heard heard = heard(List.of(TWO));
        assertEquals(4, heard.health().members().size());
        assertEquals(1, heard.disputes().size());
        assertTrue(
                heard.disputes().getFirst().startsWith("cp-2 lists other members: "),
                heard.disputes().toString());
    }

    private EtcdSurvey.Heard heard(List<URI> endpoints) {
        return assertInstanceOf(EtcdSurvey.Heard.class, EtcdSurvey.of(cluster, endpoints));
    }
}
