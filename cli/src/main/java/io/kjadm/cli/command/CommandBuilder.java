package io.kjadm.cli.command;

import io.kjadm.cli.console.Console;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Builds a command from data: a name, flags, and what to do with those that were set. Nothing is
 * looked up by reflection, which is most of what a command costs at start-up.
 */
public final class CommandBuilder {

    private final CommandSpec spec;

    private CommandBuilder(CommandSpec spec) {
        this.spec = spec;
    }

    /**
     * A command that runs.
     *
     * @param action gets the flags that were set and the words without a flag
     */
    public static CommandBuilder running(
            String name, String description, BiConsumer<CommandFlags, List<String>> action) {
        CommandSpec[] self = new CommandSpec[1];
        Runnable run = () -> action.accept(
                setFlags(self[0].commandLine()), words(self[0].commandLine().getParseResult()));
        self[0] = CommandSpec.wrapWithoutInspection(run);
        return new CommandBuilder(described(self[0], name, description));
    }

    /** A command that only holds others: by itself it prints its help, and fails. */
    public static CommandBuilder group(String name, String description, Console console) {
        CommandSpec[] self = new CommandSpec[1];
        Runnable run = () -> {
            self[0].commandLine().usage(console.out());
            throw new CommandLine.ParameterException(
                    self[0].commandLine(), "a subcommand is required");
        };
        self[0] = CommandSpec.wrapWithoutInspection(run);
        return new CommandBuilder(described(self[0], name, description));
    }

    private static CommandSpec described(CommandSpec spec, String name, String description) {
        spec.name(name);
        spec.usageMessage()
                .description(description)
                .commandListHeading("%nCommands:%n")
                .parameterListHeading("%nArguments:%n")
                .optionListHeading("%nOptions:%n")
                .sortOptions(false)
                .abbreviateSynopsis(true);
        return spec;
    }

    public CommandBuilder flags(List<FlagOption> flags) {
        flags.forEach(flag -> spec.addOption(flag.toOption()));
        return this;
    }

    /** Flags that still work and that the help no longer shows. */
    public CommandBuilder hiddenFlags(Flag... flags) {
        Stream.of(flags)
                .forEach(flag -> spec.addOption(
                        FlagOption.of(flag).toOption().toBuilder().hidden(true).build()));
        return this;
    }

    /** Flags that may also stand before and after each subcommand; added before these. */
    public CommandBuilder inheritedFlags(List<FlagOption> flags) {
        flags.forEach(flag -> spec.addOption(flag.toOption().toBuilder()
                .scopeType(CommandLine.ScopeType.INHERIT)
                .build()));
        return this;
    }

    /**
     * Leaves flags of this group that a command does not take out of its help, and of the help of
     * the commands below it. They stay known there: who gives one is told why it means nothing.
     */
    public CommandBuilder unlisted(List<String> commands, Flag... flags) {
        commands.forEach(name -> Stream.of(flags)
                .forEach(flag -> hide(spec.subcommands().get(name).getCommandSpec(), "--" + flag)));
        return this;
    }

    private static void hide(CommandSpec command, String name) {
        OptionSpec listed = command.findOption(name);
        remove(command, name);
        // the commands below inherit it once more, as it is now
        command.addOption(listed.toBuilder().hidden(true).build());
    }

    private static void remove(CommandSpec command, String name) {
        // a command with aliases is met once for each of its names
        Optional.ofNullable(command.findOption(name)).ifPresent(command::remove);
        command.subcommands().values().forEach(below -> remove(below.getCommandSpec(), name));
    }

    public CommandBuilder aliases(List<String> aliases) {
        spec.aliases(aliases.toArray(String[]::new));
        return this;
    }

    /** Accepts words without a flag, at most so many. */
    public CommandBuilder words(String label, int most, String description) {
        return positional(anyText("0.." + (most - 1), "0.." + most)
                .paramLabel((most == 1 ? "[%s]" : "[%s...]").formatted(label))
                .description(description));
    }

    /** Accepts any number of words without a flag. */
    public CommandBuilder words(String label, String description) {
        return positional(anyText("0..*", "0..*")
                .paramLabel("[%s...]".formatted(label))
                .description(description));
    }

    /** Accepts any words, which mean nothing. */
    public CommandBuilder ignoredWords() {
        return positional(anyText("0..*", "0..*").hidden(true));
    }

    private static PositionalParamSpec.Builder anyText(String index, String arity) {
        return PositionalParamSpec.builder()
                .index(index)
                .arity(arity)
                // else the label stands there once for each word
                .hideParamSyntax(true)
                .type(String[].class)
                .auxiliaryTypes(String.class);
    }

    private CommandBuilder positional(PositionalParamSpec.Builder words) {
        spec.addPositional(words.build());
        return this;
    }

    /**
     * An example in the help, below those added before.
     *
     * @param purpose what it does, without a full stop
     * @param words   what is typed after the name of the command
     */
    public CommandBuilder example(String purpose, String words) {
        Examples.add(spec, new Examples.Example(purpose, words));
        return this;
    }

    CommandBuilder examples(List<Examples.Example> examples) {
        examples.forEach(example -> Examples.add(spec, example));
        return this;
    }

    /** Text below the options of the help. */
    public CommandBuilder footer(String text) {
        spec.usageMessage().footer(text);
        return this;
    }

    /**
     * Text below the options of the help, which is made when that is printed.
     *
     * @param text of lines that are at most so wide
     */
    public CommandBuilder footer(IntFunction<String> text) {
        spec.usageMessage()
                .sectionMap()
                .put(
                        UsageMessageSpec.SECTION_KEY_FOOTER,
                        help -> text.apply(help.commandSpec().usageMessage().width()));
        return this;
    }

    public CommandBuilder subcommand(CommandLine command) {
        spec.addSubcommand(command.getCommandName(), command);
        return this;
    }

    public CommandBuilder subcommands(List<CommandLine> commands) {
        commands.forEach(this::subcommand);
        return this;
    }

    /** Subcommands that the help lists under a heading of theirs. */
    public CommandBuilder subcommands(String heading, List<CommandLine> commands) {
        CommandSections.add(
                spec,
                heading,
                commands.stream().map(CommandLine::getCommandName).toList());
        return subcommands(commands);
    }

    public CommandLine build() {
        return new CommandLine(spec);
    }

    /** The flags of a command, and before them those that were given to the groups it is in. */
    private static CommandFlags setFlags(CommandLine command) {
        CommandFlags flags =
                command.getParent() == null ? CommandFlags.none() : setFlags(command.getParent());
        for (OptionSpec option : command.getParseResult().matchedOptions()) {
            // the others, such as --v, are for whoever starts the program
            Optional<Flag> flag = Flag.named(option.longestName().substring(2));
            for (String value : flag.isPresent() ? values(option) : List.<String>of()) {
                flags = flags.with(flag.get(), value);
            }
        }
        return flags;
    }

    private static List<String> words(CommandLine.ParseResult parsed) {
        List<String> words = new ArrayList<>();
        parsed.matchedPositionals().forEach(positional -> words.addAll(values(positional)));
        return words;
    }

    private static List<String> values(ArgSpec arg) {
        return arg.stringValues();
    }
}
