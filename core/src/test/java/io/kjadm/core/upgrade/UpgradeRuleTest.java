package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.stream.Stream;

class UpgradeRuleTest {

    @ParameterizedTest
    @EnumSource
    void everySubjectOfEtcdIsOneOfTheUpgrade(EtcdUpgradeFinding.Rule rule) {
        assertEquals(rule.checkName(), UpgradeRule.of(rule).checkName());
    }

    @Test
    void noTwoSubjectsHaveOneName() {
        assertEquals(
                UpgradeRule.values().length,
                Stream.of(UpgradeRule.values())
                        .map(UpgradeRule::checkName)
                        .distinct()
                        .count());
    }
}
