package io.kjadm.cli;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.console.Console;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.SimilarNames;

import picocli.CommandLine;

import java.util.List;
import java.util.function.Supplier;

/** {@code kjadm help}: the help of any command, by its name. */
record HelpCommand(Console console, Supplier<CommandLine> wholeTree) {

    CommandLine build() {
        return CommandBuilder.running(
                        "help", "Help about any command", (flags, words) -> print(words))
                .words("command", "Name of a command, and names of subcommands")
                .example("Show the help of a command", "etcd member remove")
                .build();
    }

    private void print(List<String> words) {
        CommandLine command = wholeTree.get();
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                throw new UsageException(
                        "there is no help for \"%s\"".formatted(String.join(" ", words)),
                        "%s has no command \"%s\"%s"
                                .formatted(
                                        command.getCommandSpec().qualifiedName(),
                                        word,
                                        SimilarNames.guess(
                                                word, command.getSubcommands().keySet())),
                        "see %s --help".formatted(command.getCommandSpec().qualifiedName()));
            }
            command = next;
        }
        command.usage(console.out());
        console.out().flush();
    }
}
