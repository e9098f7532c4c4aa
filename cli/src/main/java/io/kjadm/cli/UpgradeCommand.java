package io.kjadm.cli;

import io.kjadm.core.phase.Reporter;

import picocli.CommandLine;

import java.util.function.Function;

/** {@code kjadm upgrade}: takes a cluster to another version of Kubernetes. */
final class UpgradeCommand {

    private final Console console;
    private final Function<Console, Reporter> reporters;

    UpgradeCommand(Console console, Function<Console, Reporter> reporters) {
        this.console = console;
        this.reporters = reporters;
    }

    CommandLine build() {
        return CommandBuilder.group(
                        "upgrade", "Upgrade your cluster smoothly to a newer version", console)
                .subcommand(new UpgradePlanCommand(console, reporters).build())
                .subcommand(new UpgradeDiffCommand(console, reporters).build())
                .build();
    }
}
