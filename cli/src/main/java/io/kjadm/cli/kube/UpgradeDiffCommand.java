package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.Flags;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.UpgradeSource;
import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.config.VersionResolver;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.core.upgrade.UnifiedDiff;
import io.kjadm.core.upgrade.plan.VersionOffers;
import io.kjadm.core.value.KubernetesVersion;

import picocli.CommandLine;

import java.util.List;
import java.util.function.Function;

/** {@code kjadm upgrade diff}: what an upgrade would change in the manifests of this node. */
record UpgradeDiffCommand(Console console, Function<Console, Reporter> reporters) {

    CommandLine build() {
        return CommandBuilder.running(
                        "diff",
                        "Show what differences would be applied to existing static pod manifests; see also: kjadm upgrade apply --dry-run",
                        this::run)
                .flags(Flags.UPGRADE_DIFF)
                .words(
                        "version",
                        1,
                        "The version to compare with, or a label such as stable-1.37 (default the version stored in the cluster)")
                .example("Show the changes of an upgrade", KubernetesVersion.CURRENT.toString())
                .example(
                        "Show the changes with the patches of a directory",
                        KubernetesVersion.CURRENT + " --patches /etc/kubernetes/patches")
                .build();
    }

    private void run(CommandFlags flags, List<String> words) {
        Console used = console.withResultsAlone();
        Reporter out = reporters.apply(used);
        UpgradeConfiguration config = UpgradeSource.configuration(flags, words, out);
        try (Composition composition = new Composition(out, true)) {
            UpgradeSource source = UpgradeSource.of(composition, flags, config);
            StoredConfiguration stored = source.stored();
            InstalledNode node = source.node(stored);
            KubernetesVersion version = new VersionOffers(
                            new VersionResolver(new MachineFacts()::fetch, out::warn))
                    .resolved(config.diff().version().orElse(stored.cluster().kubernetesVersion()));
            source.manifests(stored, node, UpgradeSource.patches(config))
                    .diffs(version, config.diff().contextLines())
                    .forEach(diff -> console.print(shown(diff)));
        }
    }

    /** Where the help has colours, the diff has. */
    private String shown(String diff) {
        return console.terminal().help().emphasised() ? UnifiedDiff.coloured(diff) : diff;
    }
}
