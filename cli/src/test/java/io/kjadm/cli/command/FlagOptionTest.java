package io.kjadm.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.cli.CommandTree;
import io.kjadm.cli.console.Console;
import io.kjadm.core.flag.Flag;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The registry of flags and the options of all commands are the same. */
class FlagOptionTest {

    /** Those of picocli and of the program as a whole. */
    private static final Set<String> OF_THE_PROGRAM =
            Set.of("--help", "--v", "--vmodule", "--rootfs", "--auto-override");

    @Test
    void everyFlagIsAnOptionAndEveryOptionAFlag() {
        Set<String> options = new TreeSet<>();
        collect(new CommandTree(Console.ofProcess()).forArguments("--help"), options);
        options.removeAll(OF_THE_PROGRAM);
        Set<String> flags = Stream.of(Flag.values())
                .map(flag -> "--" + flag)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(flags, options);
    }

    private static void collect(CommandLine command, Set<String> options) {
        command.getCommandSpec().options().forEach(option -> options.add(option.longestName()));
        command.getSubcommands().values().forEach(below -> collect(below, options));
    }
}
