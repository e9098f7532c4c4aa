package io.kjadm.core.etcd.upkeep;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.commands.OpsLab;
import io.kjadm.core.etcd.upkeep.HealthReport.Need;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.util.OptionalLong;
import java.util.Set;

/** Whether each member of three serves. */
class HealthReportTest {

    private final OpsLab lab = new OpsLab(3).onControlPlane();

    private HealthReport ask(Need need) {
        return HealthReport.ask(lab.open(), need);
    }

    @Test
    void allServe() {
        HealthReport report = ask(Need.ALL);
        assertTrue(report.healthy());
        assertEquals(3, report.servingVoters());
        assertEquals(1, report.margin());
        assertDoesNotThrow(report::requireHealthy);
    }

    @Test
    void aQuorumIsEnoughUnlessEverybodyHasToServe() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        assertTrue(ask(Need.QUORUM).healthy());
        ClusterException failure =
                assertThrows(ClusterException.class, () -> ask(Need.ALL).requireHealthy());
        assertEquals("2 of 3 voters serve, and every member has to", failure.what());
        assertEquals(Set.of("cp-3"), Named.members(failure.why()), failure.why());
    }

    @Test
    void aMemberThatTellsItsStatusAndDoesNotServeFails() {
        lab.etcd.busy(lab.etcd.id("cp-2"), 1);
        HealthReport report = ask(Need.ALL);
        assertFalse(report.healthy());
        assertEquals(
                "a002 cp-2 (voter, https://cp-2:2380): it did not answer a read in time",
                report.problems());
    }

    @Test
    void withoutAQuorumNobodyServes() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.etcd.stop(lab.etcd.id("cp-2"));
        HealthReport report = ask(Need.QUORUM);
        assertEquals(-2, report.margin());
        assertTrue(assertThrows(ClusterException.class, report::requireHealthy)
                .next()
                .startsWith("bring a majority"));
    }

    @Test
    void aLearnerHasToAnswerOnlyWhereEverybodyHasTo() {
        lab.startedLearner("cp-4");
        assertTrue(ask(Need.ALL).healthy());
        lab.etcd.stop(lab.etcd.id("cp-4"));
        assertTrue(ask(Need.QUORUM).healthy());
        assertFalse(ask(Need.ALL).healthy());
    }

    @Test
    void anAlarmIsNoHealth() {
        lab.etcd.alarm(lab.etcd.id("cp-2"), Alarm.NOSPACE);
        assertEquals(
                "for NOSPACE run 'kjadm etcd alarm disarm', which frees space first; for CORRUPT replace the member, as 'kjadm etcd alarm disarm' shows",
                assertThrows(ClusterException.class, ask(Need.QUORUM)::requireHealthy)
                        .next());
    }

    @Test
    void sizesAreReadAsKubernetesWritesThem() {
        assertEquals(OptionalLong.of(100L << 20), Sizes.parse("100Mi"));
        assertEquals(OptionalLong.of(8L << 30), Sizes.parse("8Gi"));
        assertEquals(OptionalLong.of(2048), Sizes.parse("2Ki"));
        assertEquals(OptionalLong.of(5), Sizes.parse("5"));
        assertEquals(OptionalLong.empty(), Sizes.parse("-5"));
        assertEquals(OptionalLong.empty(), Sizes.parse("much"));
    }
}
