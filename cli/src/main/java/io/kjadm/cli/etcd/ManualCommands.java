package io.kjadm.cli.etcd;

import io.kjadm.cli.console.Console;
import io.kjadm.core.auto.ManualCommand;
import io.kjadm.core.phase.Reporter;

import picocli.CommandLine.ParseResult;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Keeps a person's commands from doing what the automatic mode of this machine does. Its own commands
 * do not pass here.
 */
public record ManualCommands(Console console, Function<Console, Reporter> reporters) {

    private static final String ETCD = "etcd";

    /**
     * Lets the command that was typed run, or not.
     *
     * @param override reason of a person who runs it without the store; may be null
     * @throws io.kjadm.core.error.UsageException if it must not run now
     */
    public void check(ParseResult parsed, String override) {
        if (!parsed.hasSubcommand()
                || !parsed.subcommand().commandSpec().name().equals(ETCD)
                || !parsed.subcommand().hasSubcommand()) {
            return;
        }
        List<String> words = new ArrayList<>();
        ParseResult last = parsed.subcommand();
        while (last.hasSubcommand()) {
            last = last.subcommand();
            words.add(last.commandSpec().name());
        }
        ParseResult called = last;
        if (!called.isUsageHelpRequested()) {
            ManualCommand.of(words, called::hasMatchedOption)
                    .ifPresent(command -> new AutoRuns(console, reporters)
                            .require(command, Optional.ofNullable(override)));
        }
    }
}
