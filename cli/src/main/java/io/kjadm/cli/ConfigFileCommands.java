package io.kjadm.cli;

import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.config.ConfigurationConverter;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.MachineFacts;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.phase.Reporter;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** {@code kjadm config migrate} and {@code validate}: both read a whole file, strictly. */
final class ConfigFileCommands {

    private static final Flag EXPERIMENTAL = Flag.onOff(
            "allow-experimental-api",
            "Accepted for compatibility with kubeadm; there is no experimental version");

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
                .flags(List.of(
                        Flag.text("old-config", "Path to the file to read (required)"),
                        Flag.text(
                                "new-config",
                                "Path of the file to write; standard output if not given"),
                        EXPERIMENTAL))
                .build();
    }

    CommandLine validate() {
        return CommandBuilder.running(
                        "validate",
                        "Read a configuration file, and report what is wrong with it",
                        (flags, words) -> validate(flags))
                .flags(List.of(
                        Flag.text("config", "Path to the file to check (required)"),
                        Flag.onOff("allow-deprecated-api", "Say nothing about deprecated versions"),
                        EXPERIMENTAL))
                .build();
    }

    private void migrate(CommandFlags flags) {
        ConfigurationFile file = file(flags, "old-config");
        String text = converter().migrate(file);
        Optional<Path> target =
                flags.text("new-config").filter(name -> !name.isEmpty()).map(Path::of);
        if (target.isPresent()) {
            new DiskFiles().write(target.get().toAbsolutePath(), text, FileMode.WORLD_READABLE);
        } else {
            print(text);
        }
    }

    private void validate(CommandFlags flags) {
        converter()
                .validate(
                        file(flags, "config"),
                        flags.bool("allow-deprecated-api").orElse(false));
        print("ok\n");
    }

    private ConfigurationConverter converter() {
        return new ConfigurationConverter(new MachineFacts(), reporters.apply(console)::warn);
    }

    private static ConfigurationFile file(CommandFlags flags, String flag) {
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
