package io.kjadm.cli;

import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;

import picocli.CommandLine;

import java.util.function.Function;

/** {@code kjadm config}: everything about configuration files that needs no cluster. */
final class ConfigCommand {

    private final Console console;
    private final Function<Console, Reporter> reporters;

    ConfigCommand(Console console, Function<Console, Reporter> reporters) {
        this.console = console;
        this.reporters = reporters;
    }

    CommandLine build() {
        ConfigFileCommands files = new ConfigFileCommands(console, reporters);
        return CommandBuilder.group(
                        "config",
                        "Print, check and convert configuration files, and manage the images they name",
                        console)
                .inheritedFlags(FlagOption.all(Flag.KUBECONFIG))
                .subcommand(new ConfigPrintCommand(console).build())
                .subcommand(files.migrate())
                .subcommand(files.validate())
                .subcommand(new ConfigImagesCommand(console, reporters).build())
                .build();
    }
}
