package io.kjadm.cli;

import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.config.ConfigurationYaml;
import io.kjadm.core.config.MachineFacts;
import io.kjadm.core.flag.Flag;

import picocli.CommandLine;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** {@code kjadm config print}: files to start from. */
final class ConfigPrintCommand {

    private final Console console;

    ConfigPrintCommand(Console console) {
        this.console = console;
    }

    CommandLine build() {
        return CommandBuilder.group("print", "Print configuration with default values", console)
                .subcommand(defaults(
                        "init",
                        FlagOption.all(Flag.COMPONENT_CONFIGS),
                        flags -> ConfigurationYaml.printInitDefaults(
                                flags.list(Flag.COMPONENT_CONFIGS))))
                .subcommand(defaults(
                        "join",
                        List.of(),
                        flags -> ConfigurationYaml.printJoinDefaults(
                                new MachineFacts().hostname().toLowerCase(Locale.ROOT))))
                .subcommand(defaults(
                        "reset", List.of(), flags -> ConfigurationYaml.printResetDefaults()))
                .subcommand(defaults(
                        "upgrade", List.of(), flags -> ConfigurationYaml.printUpgradeDefaults()))
                .build();
    }

    private CommandLine defaults(
            String workflow, List<FlagOption> flags, Function<CommandFlags, String> text) {
        return CommandBuilder.running(
                        workflow + "-defaults",
                        "Print the default configuration of %s; tokens in it are placeholders"
                                .formatted(workflow),
                        (set, words) -> {
                            console.out().print(text.apply(set));
                            console.out().flush();
                        })
                .flags(flags)
                .build();
    }
}
