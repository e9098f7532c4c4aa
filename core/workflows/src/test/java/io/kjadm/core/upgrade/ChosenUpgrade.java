package io.kjadm.core.upgrade;

import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.config.UpgradeConfiguration.Apply;
import io.kjadm.core.config.UpgradeConfiguration.NodeUpgrade;
import io.kjadm.core.config.UpgradeConfiguration.Target;

import java.util.Optional;

/** What an operator chooses who upgrades a cluster without being asked. */
final class ChosenUpgrade {

    private ChosenUpgrade() {}

    static UpgradeConfiguration to(String version, NodeUpgrade node) {
        UpgradeConfiguration defaults = UpgradeConfiguration.defaults();
        return new UpgradeConfiguration(
                new Apply(node, new Target(Optional.of(version), false, false), false, true, false),
                defaults.node(),
                defaults.plan(),
                defaults.diff(),
                defaults.timeouts());
    }
}
