package io.kjadm.core.feature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

class FeatureGatesTest {

    @Test
    void learnersAreOnUntilSwitchedOff() {
        assertTrue(FeatureGates.defaults().enabled(FeatureGate.ETCD_LEARNER_MODE));
        assertEquals(List.of(), FeatureGates.defaults().warnings());
        FeatureGates off = FeatureGates.parse("EtcdLearnerMode=false");
        assertFalse(off.enabled(FeatureGate.ETCD_LEARNER_MODE));
        assertEquals(
                "feature gate EtcdLearnerMode is off: adding etcd members directly as voters is deprecated, because one that does not start can cost the quorum",
                off.warnings().getFirst());
    }

    @Test
    void onlyChoicesAreKept() {
        FeatureGates gates = FeatureGates.parse(" EtcdLearnerMode = T ,,RootlessControlPlane=0");
        assertEquals(
                Map.of("EtcdLearnerMode", true, "RootlessControlPlane", false), gates.chosen());
        assertEquals(
                Optional.empty(),
                FeatureGates.parse("EtcdLearnerMode=1")
                        .explicit(FeatureGate.ROOTLESS_CONTROL_PLANE));
    }

    @Test
    void lastSettingCounts() {
        assertFalse(FeatureGates.parse("EtcdLearnerMode=true,EtcdLearnerMode=false")
                .enabled(FeatureGate.ETCD_LEARNER_MODE));
    }

    @Test
    void malformedFlagsAreRefusedByName() {
        for (String bad : List.of(
                "EtcdLearnerMode", "Foo=true", "EtcdLearnerMode=yes", "etcdLearnerMode=true")) {
            UsageException error =
                    assertThrows(UsageException.class, () -> FeatureGates.parse(bad));
            assertTrue(error.what().contains(bad.split("=")[0]), error.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRemovedGateIsRefusedWithItsRelease(RemovedGate gate) {
        UsageException refusal =
                assertThrows(UsageException.class, () -> FeatureGates.parse(gate.key() + "=true"));
        assertTrue(refusal.what().contains(gate.key()), refusal::toString);
        assertTrue(refusal.why().contains(gate.release()), refusal::toString);
        assertEquals(gate.advice(), refusal.next());
        assertEquals(Optional.empty(), FeatureGate.named(gate.key()));
    }

    @Test
    void gatesOfOtherReleasesAreKept() {
        FeatureGates gates = new FeatureGates(Map.of("WaitForAllControlPlaneComponents", true));
        assertEquals(List.of("WaitForAllControlPlaneComponents"), gates.unknown());
    }

    @Test
    void helpShowsStageAndDefault() {
        assertEquals(
                "EtcdLearnerMode=true|false (BETA - default=true)",
                FeatureGate.ETCD_LEARNER_MODE.help());
        assertEquals(
                "RootlessControlPlane=true|false (ALPHA - default=false)",
                FeatureGate.ROOTLESS_CONTROL_PLANE.help());
    }
}
