package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.CheckName;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

class UpgradeRuleTest {

    @Test
    void noTwoSubjectsHaveOneName() {
        List<String> names = Stream.<CheckName>concat(
                        Stream.of(UpgradeRule.values()),
                        Stream.of(EtcdUpgradeFinding.Rule.values()))
                .map(CheckName::checkName)
                .toList();
        assertEquals(names.size(), names.stream().distinct().count(), names::toString);
    }
}
