package io.kjadm.etcd.check;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.OptionalLong;

/** Alarms, lag and the quota of voters. */
class HealthRulesTest {

    private Scene scene = Scene.ofVoters(2);

    @ParameterizedTest
    @CsvSource({"NOSPACE, disarm", "CORRUPT, replace the member"})
    void alarmsAreNamedWithAdvice(String alarm, String advice) {
        scene.node(1).errors = List.of("memberID:1 alarm:" + alarm + " ");
        Told.one(scene.errors(), "EtcdAlarms", alarm, advice);
    }

    @ParameterizedTest
    @CsvSource({"1000, 0, 0", "1001, 1, 0", "5000, 1, 0", "5001, 0, 1"})
    void voterThatLagsIsAWarningAndThenRefused(long lag, int warnings, int errors) {
        scene.node(2).applied = 10_000 - lag;
        if (warnings == 1) {
            Told.one(scene.warnings(), "EtcdLag", "cp-2", String.valueOf(lag));
        } else {
            Told.nothing(scene.warnings());
        }
        if (errors == 1) {
            Told.one(scene.errors(), "EtcdLag", "cp-2", "5000");
        } else {
            Told.nothing(scene.errors());
        }
    }

    @Test
    void aDatabaseNearItsQuotaIsAWarning() {
        scene.node(2).database = (2L << 30) * 81 / 100;
        Told.one(
                scene.warnings(),
                "EtcdQuota",
                "cp-2",
                "1.6 GiB of its quota of 2.0 GiB",
                "etcd's default");
        scene.node(2).quota = OptionalLong.of(8L << 30);
        Told.nothing(scene.warnings());
        scene.node(2).database = 7L << 30;
        Told.one(scene.warnings(), "EtcdQuota", "7.0 GiB of its quota of 8.0 GiB: compact");
        scene.node(2).quota = OptionalLong.of(1000L << 20);
        scene.node(2).database = 800L << 20;
        Told.nothing(scene.warnings());
        scene.node(2).database = 801L << 20;
        Told.one(scene.warnings(), "EtcdQuota", "801 MiB of its quota of 1000 MiB");
    }

    @Test
    void etcd33DoesNotTellWhatItHasApplied() {
        scene = Scene.ofVoters(2, "3.3.25");
        scene.candidate = scene.candidate("3.3.25", false, false);
        scene.node(2).applied = 0;
        Told.nothing(scene.errors());
    }
}
