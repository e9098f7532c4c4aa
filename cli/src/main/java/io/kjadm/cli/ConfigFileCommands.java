package io.kjadm.cli;

import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.config.ConfigurationConverter;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.MachineFacts;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.phase.Reporter;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm config migrate} and {@code validate}: both read a whole file, strictly. */
final class ConfigFileCommands {

    private final Console console;
    private final Function<Console, Reporter> reporters;

    ConfigFileCommands(Console console, Function<Console, Reporter> reporters) {
        this.console = console;
        this.reporters = reporters;
    }

    CommandLine migrate() {
        return CommandBuilder.running(
                        "migrate",
                        "Read an older version of the configuration from a file, and print it in the current one",
                        (flags, words) -> migrate(flags))
                .flags(FlagOption.all(
                        Flag.OLD_CONFIG, Flag.NEW_CONFIG, Flag.ALLOW_EXPERIMENTAL_API))
                .build();
    }

    CommandLine validate() {
        return CommandBuilder.running(
                        "validate",
                        "Read a configuration file, and report what is wrong with it",
                        (flags, words) -> validate(flags))
                .flags(FlagOption.explained(
                        FlagOption.all(
                                Flag.CONFIG,
                                Flag.ALLOW_DEPRECATED_API,
                                Flag.ALLOW_EXPERIMENTAL_API),
                        new FlagOption(Flag.CONFIG, "Path to the file to check (required)")))
                .build();
    }

    private void migrate(CommandFlags flags) {
        ConfigurationFile file = file(flags, Flag.OLD_CONFIG);
        String text = converter().migrate(file);
        Optional<Path> target =
                flags.text(Flag.NEW_CONFIG).filter(name -> !name.isEmpty()).map(Path::of);
        if (target.isPresent()) {
            new DiskFiles().write(target.get().toAbsolutePath(), text, FileMode.WORLD_READABLE);
        } else {
            print(text);
        }
    }

    private void validate(CommandFlags flags) {
        converter()
                .validate(
                        file(flags, Flag.CONFIG),
                        flags.bool(Flag.ALLOW_DEPRECATED_API).orElse(false));
        print("ok\n");
    }

    private ConfigurationConverter converter() {
        return new ConfigurationConverter(new MachineFacts(), reporters.apply(console)::warn);
    }

    private static ConfigurationFile file(CommandFlags flags, Flag flag) {
        return flags.text(flag)
                .filter(name -> !name.isEmpty())
                .map(name -> ConfigurationFile.read(Path.of(name)))
                .orElseThrow(() -> new UsageException(
                        "--%s is missing".formatted(flag),
                        "there is nothing to read without it",
                        "name a file: --%s FILE".formatted(flag)));
    }

    private void print(String text) {
        console.out().print(text);
        console.out().flush();
    }
}
