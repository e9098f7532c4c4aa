package io.kjadm.core.upgrade;

import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.config.UpgradeConfiguration.Apply;
import io.kjadm.core.config.UpgradeConfiguration.NodeUpgrade;
import io.kjadm.core.config.UpgradeConfiguration.Scope;
import io.kjadm.core.config.UpgradeConfiguration.Target;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What an operator chooses who upgrades a cluster without being asked. */
final class ChosenUpgrade {

    private ChosenUpgrade() {}

    /** With the images that are the default. */
    static UpgradeConfiguration to(String version, Scope scope, Optional<Path> patches) {
        NodeUpgrade usual = UpgradeConfiguration.defaults().apply().node();
        return to(
                version,
                new NodeUpgrade(scope, false, List.of(), List.of(), usual.images(), patches));
    }

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
