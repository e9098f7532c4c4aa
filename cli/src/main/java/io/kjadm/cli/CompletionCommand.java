package io.kjadm.cli;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.console.Console;
import io.kjadm.core.error.UsageException;

import picocli.AutoComplete;
import picocli.CommandLine;

import java.util.List;
import java.util.function.Supplier;

/**
 * {@code kjadm completion}: code by which a shell completes command lines, made from the commands.
 *
 * @param wholeTree makes all commands with all phases; asked only when completion code is
 *         wanted
 */
record CompletionCommand(Console console, Supplier<CommandLine> wholeTree) {

    private static final String LICENCE = """
            # Copyright the kjadm authors
            #
            # Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
            # compliance with the License. You may obtain a copy at http://www.apache.org/licenses/LICENSE-2.0
            # SPDX-License-Identifier: Apache-2.0

            """;

    CommandLine build() {
        return CommandBuilder.running(
                        "completion",
                        "Output shell completion code for the specified shell (bash or zsh)",
                        (flags, words) -> print(words))
                .words("SHELL", "bash or zsh")
                .example("Print the completion code for bash", "bash")
                .example("Print the completion code for zsh", "zsh")
                .footer(("%%nTo use it in this shell: source <(%1$s completion bash)%%n"
                                + "In every bash: %1$s completion bash > /etc/bash_completion.d/%1$s%%n"
                                + "In every zsh:  %1$s completion zsh > \"$${fpath[1]}/_%1$s\"%%n")
                        .formatted(console.name()))
                .build();
    }

    private void print(List<String> words) {
        if (words.size() != 1) {
            throw new UsageException(
                    words.isEmpty() ? "the shell is missing" : "more than one shell was named",
                    "",
                    "use kjadm completion bash, or kjadm completion zsh");
        }
        // zsh looks for the first line when it collects completions; its emulation of bash's does
        // the rest
        String head = switch (words.getFirst()) {
            case "bash" -> LICENCE;
            case "zsh" -> "#compdef %s\n".formatted(console.name()) + LICENCE;
            default ->
                throw new UsageException(
                        "there is no completion for shell \"%s\"".formatted(words.getFirst()),
                        "",
                        "use kjadm completion bash, or kjadm completion zsh");
        };
        console.print(head + AutoComplete.bash(console.name().toString(), wholeTree.get()));
    }
}
