package io.kjadm.cli.kube;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.core.config.ConfigurationConverter;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.ConfigurationYaml;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.net.MachineFacts;
import io.kjadm.core.phase.Reporter;

import picocli.CommandLine;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** {@code kjadm config}: everything about configuration files that needs no cluster. */
public record ConfigCommand(Console console, Function<Console, Reporter> reporters) {

    public CommandLine build() {
        return CommandBuilder.group(
                        "config",
                        "Print, validate and convert configuration files, and manage the container images they name",
                        console)
                .inheritedFlags(FlagOption.all(Flag.KUBECONFIG))
                .subcommand(print())
                .subcommand(migrate())
                .subcommand(validate())
                .subcommand(new ConfigImagesCommand(console, reporters).build())
                .build();
    }

    /** {@code config print}: files to start from. */
    private CommandLine print() {
        return CommandBuilder.group("print", "Print the default configuration", console)
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
                        "Print the default %s configuration, which can be used for 'kjadm %<s'; tokens in it are placeholders"
                                .formatted(workflow),
                        (set, words) -> console.print(text.apply(set)))
                .flags(flags)
                .example("Write the configuration to a file", "> %s.yaml".formatted(workflow))
                .build();
    }

    /** {@code config migrate}: reads a whole file, strictly, as {@code validate} does. */
    private CommandLine migrate() {
        return CommandBuilder.running(
                        "migrate",
                        "Convert a configuration file of an older version to the current version",
                        (flags, words) -> migrate(flags))
                .flags(FlagOption.all(
                        Flag.OLD_CONFIG, Flag.NEW_CONFIG, Flag.ALLOW_EXPERIMENTAL_API))
                .example(
                        "Convert a file and write the result to another one",
                        "--old-config old.yaml --new-config new.yaml")
                .example("Print the result", "--old-config old.yaml")
                .build();
    }

    private CommandLine validate() {
        return CommandBuilder.running(
                        "validate",
                        "Read a configuration file and report any validation errors",
                        (flags, words) -> validate(flags))
                .flags(FlagOption.explained(
                        FlagOption.all(
                                Flag.CONFIG,
                                Flag.ALLOW_DEPRECATED_API,
                                Flag.ALLOW_EXPERIMENTAL_API),
                        new FlagOption(Flag.CONFIG, "Path to the file to validate (required)")))
                .example("Validate a configuration file", "--config config.yaml")
                .build();
    }

    private void migrate(CommandFlags flags) {
        ConfigurationFile file = file(flags, Flag.OLD_CONFIG);
        String text = converter().migrate(file, flags.isOn(Flag.ALLOW_EXPERIMENTAL_API));
        Optional<Path> target = flags.path(Flag.NEW_CONFIG);
        if (target.isPresent()) {
            HostFiles files = new DiskFiles();
            Path path = target.get().toAbsolutePath();
            files.write(path, text, mode(files, flags.path(Flag.OLD_CONFIG).orElseThrow(), path));
        } else {
            console.print(text);
        }
    }

    /** It may hold tokens and the certificate key: whoever could not read them cannot now. */
    private static FileMode mode(HostFiles files, Path... before) {
        return Stream.of(before)
                        .filter(files::exists)
                        .map(files::permissions)
                        .allMatch(bits -> bits.contains(PosixFilePermission.OTHERS_READ))
                ? FileMode.WORLD_READABLE
                : FileMode.OWNER_ONLY;
    }

    private void validate(CommandFlags flags) {
        ConfigurationFile file =
                Composition.configurationFile(flags).orElseGet(() -> file(flags, Flag.CONFIG));
        converter()
                .validate(
                        file,
                        flags.isOn(Flag.ALLOW_DEPRECATED_API),
                        flags.isOn(Flag.ALLOW_EXPERIMENTAL_API))
                .ifPresent(loaded -> SettingsThatStop.warn(
                        loaded, Optional.empty(), reporters.apply(console)::warn));
        console.print("ok\n");
    }

    private ConfigurationConverter converter() {
        return new ConfigurationConverter(new MachineFacts(), reporters.apply(console)::warn);
    }

    private static ConfigurationFile file(CommandFlags flags, Flag flag) {
        return flags.path(flag)
                .map(ConfigurationFile::read)
                .orElseThrow(() -> new UsageException(
                        "--%s is missing".formatted(flag),
                        "there is nothing to read without it",
                        "name a file: --%s FILE".formatted(flag)));
    }
}
